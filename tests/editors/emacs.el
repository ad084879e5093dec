;;; What a user of Emacs does: opens settings, sees the wrong case, applies the fix.  -*- lexical-binding: t -*-
;;; Exits with 1 at the first thing that is not so.

(package-initialize)
(require 'eglot)
(require 'js)

(defun must (fact holds)
  (princ (format "%s %s\n" (if holds "ok   " "WRONG") fact))
  (unless holds (kill-emacs 1)))

(defun wait-until (condition)
  (let ((limit (+ (float-time) 60)))
    (while (and (not (funcall condition)) (< (float-time) limit))
      (accept-process-output nil 0.05))
    (funcall condition)))

(defun finding ()
  (flymake-start)
  (seq-find (lambda (one) (string-match-p "HW301" (flymake-diagnostic-text one))) (flymake-diagnostics)))

(defvar project-directory (file-name-as-directory (getenv "HOOKBENCH_PROJECT")))
(add-hook 'project-find-functions (lambda (_) (cons 'transient project-directory)))
(add-to-list 'eglot-server-programs `(js-mode . (,(getenv "HOOKBENCH_PROGRAM") "server")))
(setq eglot-sync-connect 30 eglot-confirm-server-initiated-edits nil)

(find-file (expand-file-name ".claude/settings.json" project-directory))
(js-mode)
(call-interactively #'eglot)
(must "the wrong case is a diagnostic" (wait-until #'finding))
(goto-char (flymake-diagnostic-beg (finding)))
(must "it is at the matcher" (looking-at-p "\"bash\""))

(let ((actions (eglot-code-actions (point) (point) "quickfix")))
  (must "a code action says: write Bash instead"
        (equal (mapcar (lambda (action) (plist-get action :title)) actions) '("write Bash instead")))
  (eglot--dcase (car actions)
    (((CodeAction) edit) (eglot--apply-workspace-edit edit))))
;; Without a user, Emacs is never idle, so it does not send the edit by itself.
(eglot--signal-textDocument/didChange)
(must "the matcher is mended" (looking-at-p "\"Bash\""))
(must "the diagnostic is gone after the action" (wait-until (lambda () (not (finding)))))
(must "completion is offered" (eglot--server-capable :completionProvider))

(let ((server (eglot-current-server)))
  (set-buffer-modified-p nil)
  (eglot-shutdown server)
  (must "the server ends" (not (jsonrpc-running-p server))))
