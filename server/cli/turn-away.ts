import { dlopen, ptr } from 'bun:ffi'
import { readdirSync } from 'node:fs'

const SOL_SOCKET = 1
const SO_ATTACH_FILTER = 26
const SO_ACCEPTCONN = 30
const INTEGER_BYTES = 4
const ADDRESS_BYTES = 128
const PORT_OFFSET = 2
const PROGRAM_BYTES = 16
const PROGRAM_ADDRESS_OFFSET = 8
const DONE = 0

const LIBRARIES = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1'] as const
const FUNCTIONS = {
  getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
  setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
  getsockname: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
} as const

/**
 * A packet filter (https://docs.kernel.org/networking/filter.html): of what comes for a listening socket it drops the
 * segment that asks for a new connection (SYN without ACK in the flags, byte 13 of a TCP header) and passes the rest.
 * Each row is a sock_filter: code and the two jumps as 16 bits each, then the operand's low and high half.
 */
const DROP_NEW_CONNECTIONS = new Uint16Array([
  ...[0x30, 0, 13, 0],
  ...[0x54, 0, 0x12, 0],
  ...[0x15, 0x01_00, 0x02, 0],
  ...[0x06, 0, 0, 0],
  ...[0x06, 0, 0xffff, 0xffff],
])
const INSTRUCTIONS = 5

type Libc = NonNullable<ReturnType<typeof openLibc>>['symbols']

/**
 * Lets the kernel bring no new connection to the sockets of this process that listen on a port, while what is
 * established can still be accepted. Whoever connects now asks again a second later, when another process on the port
 * answers, or nobody: without this, closing a socket resets all who were established and not yet accepted. Gives false
 * where the system cannot do it: Linux can.
 */
export function turnAway(port: number): boolean {
  const libc = process.platform === 'linux' && findLibc()
  if (!libc) return false
  const listeners = openDescriptors().filter(descriptor => isListening(descriptor, port, libc))
  return listeners.length > 0 && listeners.every(descriptor => attachFilter(descriptor, libc))
}

const findLibc = (): Libc | undefined => LIBRARIES.map(openLibc).find(library => library)?.symbols

/** Undefined: this system calls it something else. */
function openLibc(name: string) {
  try {
    return dlopen(name, FUNCTIONS)
  } catch {
    return undefined
  }
}

const openDescriptors = (): number[] => readdirSync('/proc/self/fd').map(Number)

function isListening(descriptor: number, port: number, libc: Libc): boolean {
  const accepts = new Int32Array(1)
  const length = new Int32Array([INTEGER_BYTES])
  const found = libc.getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, ptr(accepts), ptr(length))
  return found === DONE && accepts[0] === 1 && portOf(descriptor, libc) === port
}

function portOf(descriptor: number, libc: Libc): number | undefined {
  const address = new DataView(new ArrayBuffer(ADDRESS_BYTES))
  const length = new Int32Array([ADDRESS_BYTES])
  const found = libc.getsockname(descriptor, ptr(address), ptr(length))
  return found === DONE ? address.getUint16(PORT_OFFSET) : undefined
}

/** The kernel copies a sock_fprog: how many instructions, and where they are. */
function attachFilter(descriptor: number, libc: Libc): boolean {
  const program = new DataView(new ArrayBuffer(PROGRAM_BYTES))
  program.setUint16(0, INSTRUCTIONS, true)
  program.setBigUint64(PROGRAM_ADDRESS_OFFSET, BigInt(ptr(DROP_NEW_CONNECTIONS)), true)
  return libc.setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, ptr(program), PROGRAM_BYTES) === DONE
}
