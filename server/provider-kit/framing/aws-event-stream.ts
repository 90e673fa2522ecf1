import { crc32 } from 'node:zlib'
import { GatewayError } from '../../core/errors.ts'
import { MIB } from '../../core/limits.ts'
import type { StreamEvent } from '../contract/operation-adapter.ts'
import type { Framer } from './text-framing.ts'

/** The limit of the format itself. */
const MESSAGE_BYTES_MAX = 16 * MIB
const PRELUDE_BYTES = 12
const CRC_BYTES = 4
const TEXT_HEADER = 7

/**
 * Amazon's binary event stream. The name of an event is its `:event-type`, or its `:exception-type`; its data is the
 * payload as text. Throws a GatewayError `upstream_bad_answer` for a wrong checksum or a truncated message.
 * Source: smithy.io/2.0/aws/amazon-eventstream.html
 */
export function createAwsEventStreamFramer(): Framer {
  let held = Buffer.alloc(0)
  return {
    push(bytes) {
      held = Buffer.concat([held, bytes])
      const events: StreamEvent[] = []
      for (let size = sizeOfNext(held); size <= held.length; size = sizeOfNext(held)) {
        events.push(readMessage(held.subarray(0, size)))
        held = held.subarray(size)
      }
      return events
    },
    end() {
      if (held.length > 0) throw broken('ends inside a message')
      return []
    },
  }
}

/** Size of the next message in bytes. Infinity until its prelude is complete. */
function sizeOfNext(bytes: Buffer): number {
  if (bytes.length < PRELUDE_BYTES) return Number.POSITIVE_INFINITY
  const size = bytes.readUInt32BE(0)
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8)) throw broken('has a broken checksum')
  const least = PRELUDE_BYTES + bytes.readUInt32BE(4) + CRC_BYTES
  if (size < least || size > MESSAGE_BYTES_MAX) throw broken(`has a message of ${size} bytes`)
  return size
}

function readMessage(message: Buffer): StreamEvent {
  const end = message.length - CRC_BYTES
  if (crc32(message.subarray(0, end)) !== message.readUInt32BE(end)) throw broken('has a broken checksum')
  const start = PRELUDE_BYTES + message.readUInt32BE(4)
  const headers = readHeaders(message.subarray(PRELUDE_BYTES, start))
  const name = headers.get(':exception-type') ?? headers.get(':event-type')
  return { name, data: message.toString('utf8', start, end), raw: '' }
}

/** Reads text headers up to the first header of another type. The ones in use come first and are text. */
function readHeaders(bytes: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>()
  let at = 0
  while (at < bytes.length) {
    const nameEnd = at + 1 + bytes.readUInt8(at)
    if (nameEnd + 3 > bytes.length || bytes.readUInt8(nameEnd) !== TEXT_HEADER) break
    const valueStart = nameEnd + 3
    const valueEnd = valueStart + bytes.readUInt16BE(nameEnd + 1)
    headers.set(bytes.toString('utf8', at + 1, nameEnd), bytes.toString('utf8', valueStart, valueEnd))
    at = valueEnd
  }
  return headers
}

const broken = (what: string): GatewayError =>
  new GatewayError('upstream_bad_answer', `the upstream's stream ${what}`)
