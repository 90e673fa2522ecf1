import { readFileSync } from 'node:fs'

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'] as const
/** `local remote state sent:received`, in hexadecimal. Source: proc(5). */
const SOCKET = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:([0-9A-F]{4}) 01 ([0-9A-F]{8}):([0-9A-F]{8})/

/** Bytes in the kernel's send and receive queues of connections to these ports. Linux only. */
export function queuedBytes(ports: readonly number[]): number {
  const sockets = TABLES.flatMap(path => readFileSync(path, 'utf8').split('\n'))
  return sockets.reduce((sum, line) => sum + queuedIn(line, ports), 0)
}

function queuedIn(line: string, ports: readonly number[]): number {
  const [local, remote, sent, received] = (SOCKET.exec(line) ?? [])
    .slice(1)
    .map(hex => Number.parseInt(hex, 16))
  const isMeant = [local, remote].some(port => port !== undefined && ports.includes(port))
  return isMeant ? (sent ?? 0) + (received ?? 0) : 0
}
