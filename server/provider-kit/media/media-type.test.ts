import { expect, test } from 'bun:test'
import { detectMediaType } from './media-type.ts'

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, char => char.charCodeAt(0))

test.each([
  ['\x89PNG\r\n\x1a\n....', 'image/png'],
  ['\xff\xd8\xff\xe0', 'image/jpeg'],
  ['GIF89a', 'image/gif'],
  ['RIFF\x10\0\0\0WEBPVP8 ', 'image/webp'],
  ['\0\0\0\x18ftypheic', 'image/heic'],
  ['\0\0\0\x18ftypisom', 'video/mp4'],
  ['RIFF\x10\0\0\0WAVEfmt ', 'audio/wav'],
  ['%PDF-1.7', 'application/pdf'],
])('detects %p as %s', (start, type) => expect(detectMediaType(bytesOf(start))).toBe(type))

test.each(['', '\x89PN', '<svg xmlns="', '<!doctype html>', 'RIFF....AVI '])('does not recognize %p', start =>
  expect(detectMediaType(bytesOf(start))).toBeUndefined(),
)
