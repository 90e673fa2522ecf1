import { spawnSync } from 'node:child_process'
import { ROOT } from './project.mjs'

/** The project's files that differ from the last commit, without deleted ones. Undefined outside a Git repository. */
export function changedFiles() {
  const changed = gitLines(['diff', '--name-only', '--relative', '--diff-filter=d', 'HEAD'])
  const untracked = gitLines(['ls-files', '--others', '--exclude-standard'])
  return changed && untracked && [...changed, ...untracked]
}

function gitLines(args) {
  const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' })
  return status === 0 ? stdout.split('\n').filter(line => line !== '') : undefined
}
