const UNRELEASED = 'Unreleased'

/**
 * The text of a version in the changelog, which becomes the text of the release; without a version, that of what is not
 * released yet. Throws when there is no such section, or nothing in it.
 */
export function readNotes(changelog, version = UNRELEASED) {
  const lines = changelog.split('\n')
  const start = lines.findIndex(line => line.startsWith(`## [${version}]`))
  if (start < 0) throw new Error(`CHANGELOG.md has no section "## [${version}]"`)
  const length = lines
    .slice(start + 1)
    .findIndex(line => line.startsWith('## ') || /^\[[^\]]+\]: /.test(line))
  const section = lines.slice(start + 1, length < 0 ? undefined : start + 1 + length)
  const text = section.join('\n').trim()
  if (text === '') throw new Error(`the section "## [${version}]" of CHANGELOG.md is empty`)
  return `${text}\n`
}
