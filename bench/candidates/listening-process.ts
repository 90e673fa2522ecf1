import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Fields of /proc/net/tcp. Source: proc(5). */
const LOCAL_ADDRESS = 1
const STATE = 3
const INODE = 9
const LISTENING = '0A'

/**
 * The id of the process that listens on a port of this machine, with its workers the oldest of them. Undefined when there is none, or when
 * it belongs to somebody else.
 */
export function findListeningProcess(port: number): number | undefined {
  const sockets = new Set(
    ['tcp', 'tcp6'].flatMap(table => listeningInodes(table, port)).map(inode => `socket:[${inode}]`),
  )
  const processes = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return processes.sort((a, b) => a - b).find(pid => openFiles(pid).some(file => sockets.has(file)))
}

function listeningInodes(table: string, port: number): readonly string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return readFileSync(`/proc/net/${table}`, 'utf8')
    .split('\n')
    .slice(1)
    .map(line => line.trim().split(/\s+/))
    .filter(fields => fields[STATE] === LISTENING && fields[LOCAL_ADDRESS]?.endsWith(suffix))
    .flatMap(fields => fields[INODE] ?? [])
}

/** Files that were closed meanwhile, and those of other people's processes, are left out. */
function openFiles(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`
  return orNone(() => readdirSync(folder)).flatMap(descriptor =>
    orNone(() => [readlinkSync(`${folder}/${descriptor}`)]),
  )
}

function orNone(read: () => readonly string[]): readonly string[] {
  try {
    return read()
  } catch {
    return []
  }
}
