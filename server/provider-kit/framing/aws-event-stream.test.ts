import { expect, test } from 'bun:test'
import { crc32 } from 'node:zlib'
import { createAwsEventStreamFramer } from './aws-event-stream.ts'

function header(name: string, value: string): Buffer {
  const size = Buffer.alloc(2)
  size.writeUInt16BE(value.length)
  return Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([7]),
    size,
    Buffer.from(value),
  ])
}

function message(headers: Buffer, payload: string): Buffer {
  const bytes = Buffer.alloc(16 + headers.length + Buffer.byteLength(payload))
  bytes.writeUInt32BE(bytes.length, 0)
  bytes.writeUInt32BE(headers.length, 4)
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8)
  headers.copy(bytes, 12)
  bytes.write(payload, 12 + headers.length)
  bytes.writeUInt32BE(crc32(bytes.subarray(0, bytes.length - 4)), bytes.length - 4)
  return bytes
}

const chunk = message(header(':event-type', 'chunk'), '{"text":"grüße"}')
const exception = message(header(':exception-type', 'throttlingException'), '{}')

test('reads messages and exceptions across any chunk boundaries', () => {
  const framer = createAwsEventStreamFramer()
  const events = [...Buffer.concat([chunk, exception])].flatMap(byte => framer.push(Uint8Array.of(byte)))
  expect([...events, ...framer.end()]).toEqual([
    { name: 'chunk', data: '{"text":"grüße"}', raw: '' },
    { name: 'throttlingException', data: '{}', raw: '' },
  ])
})

test('rejects a stream with any single byte changed', () => {
  for (let at = 0; at < chunk.length; at++) {
    const changed = Buffer.from(chunk)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    expect(() => createAwsEventStreamFramer().push(changed)).toThrow('the upstream')
  }
})

test('rejects a stream that ends inside a message', () => {
  const framer = createAwsEventStreamFramer()
  expect(framer.push(chunk.subarray(0, -1))).toEqual([])
  expect(() => framer.end()).toThrow('ends inside a message')
})
