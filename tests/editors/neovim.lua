-- What a user of Neovim does: sees the wrong case, fixes it, completes a matcher, asks why, and fires a hook. Exits with 1 at the
-- first thing that is not so.
local project = vim.env.HOOKBENCH_PROJECT
local settings = project .. "/.claude/settings.json"

local function must(fact, holds)
  io.stdout:write((holds and "ok    " or "WRONG ") .. fact .. "\n")
  if not holds then vim.cmd("cquit 1") end
end

local asked = {}
vim.lsp.handlers["window/showMessageRequest"] = function(_, params)
  table.insert(asked, params.message)
  return params.actions[1]
end
vim.lsp.handlers["window/showDocument"] = function() return { success = true } end
vim.lsp.handlers["window/showMessage"] = function() return vim.NIL end

vim.cmd("edit " .. settings)
local buffer = vim.api.nvim_get_current_buf()
local client = vim.lsp.start_client({ name = "hookbench", cmd = { vim.env.HOOKBENCH_PROGRAM, "server" }, root_dir = project,
  workspace_folders = { { uri = vim.uri_from_fname(project), name = "shop" } } })
vim.lsp.buf_attach_client(buffer, client)

local function line_of(part)
  for number, text in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    local column = text:find(part, 1, true)
    if column then return number - 1, column - 1 end
  end
end

local function finding(code)
  for _, one in ipairs(vim.diagnostic.get(buffer)) do
    if one.code == code or (one.user_data and one.user_data.lsp and one.user_data.lsp.code == code) then return one end
  end
end

local function request(method, params)
  params.textDocument = { uri = vim.uri_from_fname(settings) }
  local answers = vim.lsp.buf_request_sync(buffer, method, params, 30000) or {}
  local answer = answers[client] or {}
  return answer.result
end

local function at(part, moved)
  local line, column = line_of(part)
  return { position = { line = line, character = column + (moved or 0) } }
end

must("the wrong case is a diagnostic", vim.wait(30000, function() return finding("HW301") ~= nil end))
local line, column = line_of('"bash"')
must("it is at the matcher", finding("HW301").lnum == line and finding("HW301").col == column)

local range = { start = { line = line, character = column + 1 }, ["end"] = { line = line, character = column + 1 } }
local actions = request("textDocument/codeAction", { range = range, context = { diagnostics = {} } })
must("a code action says: " .. actions[1].title, actions[1].title == "write Bash instead")
vim.lsp.util.apply_workspace_edit(actions[1].edit, vim.lsp.get_client_by_id(client).offset_encoding)
must("the diagnostic is gone after the action", vim.wait(30000, function() return finding("HW301") == nil end))
must("the file on the disk is unchanged", vim.fn.readfile(settings)[line + 1]:find('"bash"', 1, true) ~= nil)

local names = {}
for _, item in ipairs(request("textDocument/completion", at('"Bash|Edit|Write"', 6))) do names[item.label] = true end
must("completion in a matcher offers the tools", names.Edit and names.WebFetch and not names.matcher)

local ladder = request("textDocument/hover", at("guard.sh")).contents.value
must("hover shows the ladder", ladder:find("9. ✓ command: starts hooks/guard.sh", 1, true) ~= nil)

local lenses = request("textDocument/codeLens", {})
local fired = vim.lsp.buf_request_sync(buffer, "workspace/executeCommand", lenses[1].command, 60000)[client]
must("a lens asks before it fires", #asked == 1 and asked[1]:find("hooks/guard.sh", 1, true) ~= nil)
must("a lens fires after consent", fired.result and fired.result:find("**DENY** The command does not run", 1, true) ~= nil)

vim.lsp.stop_client(client)
must("the server ends", vim.wait(10000, function() return vim.lsp.client_is_stopped(client) end))
vim.cmd("qall!")
