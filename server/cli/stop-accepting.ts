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
const SUCCESS = 0

const LIBRARIES = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1'] as const
const FUNCTIONS = {
  getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
  setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
  getsockname: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
} as const

/**
 * A packet filter for a listening socket. It drops segments that open a connection (SYN without ACK in the flags, byte 13
 * of a TCP header) and passes all others. Each row is a sock_filter: the code and the two jumps as 16 bits each, then the
 * low and the high half of the operand. Source: https://docs.kernel.org/networking/filter.html
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
 * Makes the kernel drop new connections to this process's listening sockets on a port, while established ones can still
 * be accepted. Without this, closing the socket would reset connections that are established but not yet accepted. A
 * dropped client retries a second later and reaches another process on the port, if there is one. Returns false on
 * systems other than Linux, and when this process does not listen on the port.
 */
export function stopAccepting(port: number): boolean {
  const libc = process.platform === 'linux' && findLibc()
  if (!libc) return false
  const listeners = openDescriptors().filter(descriptor => isListening(descriptor, port, libc))
  return listeners.length > 0 && listeners.every(descriptor => attachFilter(descriptor, libc))
}

const findLibc = (): Libc | undefined => LIBRARIES.map(openLibc).find(library => library)?.symbols

/** Undefined where the library has another name. */
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
  const status = libc.getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, ptr(accepts), ptr(length))
  return status === SUCCESS && accepts[0] === 1 && portOf(descriptor, libc) === port
}

function portOf(descriptor: number, libc: Libc): number | undefined {
  const address = new DataView(new ArrayBuffer(ADDRESS_BYTES))
  const length = new Int32Array([ADDRESS_BYTES])
  const status = libc.getsockname(descriptor, ptr(address), ptr(length))
  return status === SUCCESS ? address.getUint16(PORT_OFFSET) : undefined
}

/** The kernel copies a sock_fprog: the number of instructions and their address. */
function attachFilter(descriptor: number, libc: Libc): boolean {
  const program = new DataView(new ArrayBuffer(PROGRAM_BYTES))
  program.setUint16(0, INSTRUCTIONS, true)
  program.setBigUint64(PROGRAM_ADDRESS_OFFSET, BigInt(ptr(DROP_NEW_CONNECTIONS)), true)
  return libc.setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, ptr(program), PROGRAM_BYTES) === SUCCESS
}
