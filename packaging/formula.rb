class Hookbench < Formula
  desc "Workbench for the hooks of AI coding agents"
  homepage "$homepage"
  version "$version"
  license any_of: ["MIT", "Apache-2.0"]

$archives
  def install
    bin.install "hookbench"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/hookbench.bash" => "hookbench"
    zsh_completion.install "completions/_hookbench"
    fish_completion.install "completions/hookbench.fish"
    doc.install "README.md", "LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY-LICENSES", "sbom.cdx.json"
  end

  test do
    assert_match "PreToolUse", shell_output("#{bin}/hookbench events --agent claude")
  end
end
