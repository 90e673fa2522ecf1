interface Signature {
  readonly type: string
  /** The first bytes, one character each; `?` matches any byte. */
  readonly begins: string
}

const SIGNATURES: readonly Signature[] = [
  { type: 'image/png', begins: '\x89PNG\r\n\x1a\n' },
  { type: 'image/jpeg', begins: '\xff\xd8\xff' },
  { type: 'image/gif', begins: 'GIF87a' },
  { type: 'image/gif', begins: 'GIF89a' },
  { type: 'image/webp', begins: 'RIFF????WEBP' },
  { type: 'image/bmp', begins: 'BM' },
  { type: 'image/tiff', begins: 'II*\0' },
  { type: 'image/tiff', begins: 'MM\0*' },
  { type: 'image/avif', begins: '????ftypavif' },
  { type: 'image/heic', begins: '????ftypheic' },
  { type: 'image/heic', begins: '????ftypheix' },
  { type: 'image/heif', begins: '????ftypmif1' },
  { type: 'video/mp4', begins: '????ftyp' },
  { type: 'video/webm', begins: '\x1a\x45\xdf\xa3' },
  { type: 'audio/wav', begins: 'RIFF????WAVE' },
  { type: 'audio/ogg', begins: 'OggS' },
  { type: 'audio/flac', begins: 'fLaC' },
  { type: 'audio/mpeg', begins: 'ID3' },
  { type: 'audio/mpeg', begins: '\xff\xfb' },
  { type: 'application/pdf', begins: '%PDF-' },
]
const SIGNATURE_BYTES_MAX = 16

/** Detects a media type by the first bytes of a file, never by the declared type. Undefined for unknown types. */
export function detectMediaType(bytes: Uint8Array): string | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, SIGNATURE_BYTES_MAX))
  return SIGNATURES.find(({ begins }) => matches(start, begins))?.type
}

const matches = (start: string, begins: string): boolean =>
  start.length >= begins.length && [...begins].every((char, at) => char === '?' || char === start[at])
