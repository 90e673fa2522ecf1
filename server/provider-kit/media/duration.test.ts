import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { audioDurationTokens, audioSeconds } from './duration.ts'

/** Concatenates parts: big-endian numbers of a given size, texts, and raw bytes. */
type Part =
  | string
  | readonly number[]
  | { readonly value: number; readonly bytes: number; readonly little?: true }
const bytesOf = (...parts: readonly Part[]): Uint8Array =>
  new Uint8Array(
    parts.flatMap(part => {
      if (typeof part === 'string') return [...part].map(char => char.charCodeAt(0))
      if (!('value' in part)) return [...part]
      const digits = Array.from({ length: part.bytes }, (_, at) => Math.floor(part.value / 256 ** at) % 256)
      return part.little ? digits : digits.reverse()
    }),
  )
const u32 = (value: number): Part => ({ value, bytes: 4 })
const u64 = (value: number): Part => ({ value, bytes: 8 })
const le32 = (value: number): Part => ({ value, bytes: 4, little: true })
const le16 = (value: number): Part => ({ value, bytes: 2, little: true })
/** The format of one channel with 16 bits a sample. `byteRate`: as the header states it. */
const pcm = (rate: number, byteRate = rate * 2): readonly Part[] => [
  le16(1),
  le16(1),
  le32(rate),
  le32(byteRate),
  le16(2),
  le16(16),
]
const zeros = (count: number): Part => Array.from({ length: count }, () => 0)

describe('measures the duration of', () => {
  test('a WAVE file whose data follows other chunks and is shorter than declared', () => {
    const head = bytesOf(
      'RIFF',
      le32(0),
      'WAVE',
      'LIST',
      le32(3),
      zeros(4),
      'fmt ',
      le32(16),
      ...pcm(1_000),
      'data',
      le32(9_000_000),
    )
    expect(audioSeconds(new Uint8Array([...head, ...new Uint8Array(5000)]))).toBe(2.5)
  })
  test('a FLAC file', () => {
    const rate = [0x0a, 0xc4, 0x40 | 0x02, 0xf0]
    expect(audioSeconds(bytesOf('fLaC', [0, 0, 0, 34], zeros(10), rate, u32(441_000), zeros(20)))).toBe(10)
  })
  test('an Opus file from its last page', () => {
    const page = (position: number): Part[] => [
      'OggS',
      [0, 0],
      { value: position, bytes: 8, little: true },
      zeros(12),
      [1, 30],
    ]
    const opus = bytesOf(...page(0), 'OpusHead', zeros(22), ...page(48_000 * 7), zeros(30))
    expect(audioSeconds(opus)).toBe(7)
  })
  test('a Vorbis file at its own sample rate', () => {
    const page = (position: number): Part[] => [
      'OggS',
      [0, 0],
      { value: position, bytes: 8, little: true },
      zeros(12),
      [1, 30],
    ]
    const vorbis = bytesOf(
      ...page(0),
      '\x01vorbis',
      zeros(5),
      le32(22_050),
      zeros(14),
      ...page(22_050 * 3),
      zeros(30),
    )
    expect(audioSeconds(vorbis)).toBe(3)
  })
  test('an M4A file with its index at the end', () => {
    const mvhd = ['mvhd', zeros(4), u32(0), u32(0), u32(1000), u32(65_250), zeros(80)] as const
    const m4a = bytesOf(
      u32(16),
      'ftypM4A ',
      zeros(4),
      u32(108),
      'mdat',
      zeros(100),
      u32(116),
      'moov',
      u32(108),
      ...mvhd,
    )
    expect(audioSeconds(m4a)).toBe(65.25)
  })
  test('an MP4 file with 64-bit times and a 64-bit box size', () => {
    const mvhd = ['mvhd', [1, 0, 0, 0], u64(0), u64(0), u32(600), u64(1200), zeros(80)] as const
    const mp4 = bytesOf(
      u32(16),
      'ftypisom',
      zeros(4),
      u32(1),
      'mdat',
      u64(20),
      zeros(4),
      u32(0),
      'moov',
      u32(120),
      ...mvhd,
    )
    expect(audioSeconds(mp4)).toBe(2)
  })
  test('a WebM file, also when a browser left its segment open', () => {
    const ebml: Part[] = [[0x1a, 0x45, 0xdf, 0xa3, 0x81, 0]]
    const info = (body: readonly number[]): Part[] => [[0x15, 0x49, 0xa9, 0x66, 0x80 | body.length], body]
    const scale = [0x2a, 0xd7, 0xb1, 0x83, 0x0f, 0x42, 0x40]
    const duration = [0x44, 0x89, 0x84, 0x45, 0x9c, 0x40, 0x00]
    const open: Part = [0x18, 0x53, 0x80, 0x67, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]
    expect(audioSeconds(bytesOf(...ebml, open, ...info([...scale, ...duration])))).toBe(5)
    const unsaid = bytesOf(...ebml, open, ...info(scale), zeros(8000))
    expect(audioSeconds(unsaid)).toBe(unsaid.length / 4000)
  })
  test('an MP3 file with a constant bit rate after a tag', () => {
    const tag: Part[] = ['ID3', [3, 0, 0, 0, 0, 1, 0], zeros(128)]
    expect(audioSeconds(bytesOf(...tag, [0xff, 0xfb, 0x90, 0x64], zeros(15_996)))).toBe(1)
  })
  test('an MP3 file with a variable bit rate from its frame count', () => {
    const xing: Part[] = [[0xff, 0xfb, 0x90, 0x64], zeros(32), 'Xing', u32(1), u32(1000)]
    expect(audioSeconds(bytesOf(...xing, zeros(400)))).toBeCloseTo((1000 * 1152) / 44_100)
    const vbri: Part[] = [[0xff, 0xfb, 0x94, 0x64], zeros(32), 'VBRI', zeros(10), u32(500)]
    expect(audioSeconds(bytesOf(...vbri, zeros(400)))).toBeCloseTo((500 * 1152) / 48_000)
  })
  test('an MP3 file with half the sample rate', () => {
    expect(audioSeconds(bytesOf([0xff, 0xf3, 0x84, 0x64], zeros(7_996)))).toBe(1)
  })
  test('assumes a minimum duration when the header claims less than the file size allows', () => {
    const head = bytesOf('RIFF', le32(0), 'WAVE', 'fmt ', le32(16), ...pcm(5e8), 'data', le32(768_000))
    expect(audioSeconds(new Uint8Array([...head, ...new Uint8Array(768_000 - head.length)]))).toBe(2)
  })
  test('estimates the duration of an unknown format from its size', () => {
    expect(audioSeconds(new Uint8Array(8_000))).toBe(2)
  })
})

describe('a forged header', () => {
  const repeat = (part: readonly Part[], count: number): Part[] =>
    Array.from({ length: count }, () => part).flat()
  /** 128 kbit/s at 44,100 samples per second: 417 bytes. */
  const mp3Frame: readonly Part[] = [[0xff, 0xfb, 0x90, 0x64], zeros(413)]
  const MP3_FRAME_SECONDS = 1152 / 44_100

  test('of an MP3 file with a variable bit rate costs no less than its frames', () => {
    const lying: Part[] = [[0xff, 0xfb, 0x90, 0x64], zeros(32), 'Xing', u32(1), u32(1), zeros(369)]
    expect(audioSeconds(bytesOf(...lying, ...repeat(mp3Frame, 999)))).toBeCloseTo(1000 * MP3_FRAME_SECONDS)
  })

  test('of an MP3 file whose bit rate changes costs no less than its frames', () => {
    const slow: readonly Part[] = [[0xff, 0xfb, 0x10, 0x64], zeros(100)]
    const fast: readonly Part[] = [[0xff, 0xfb, 0xe0, 0x64], zeros(1_040)]
    expect(audioSeconds(bytesOf(...fast, ...repeat(slow, 500)))).toBeCloseTo(501 * MP3_FRAME_SECONDS)
  })

  test('of a WAVE file with a false byte rate or data size costs no less than its samples', () => {
    const wav = (format: readonly Part[], size: number) =>
      bytesOf('RIFF', le32(0), 'WAVE', 'fmt ', le32(16), ...format, 'data', le32(size), zeros(32_000))
    expect(audioSeconds(wav(pcm(1_000, 1e9), 32_000))).toBe(16)
    expect(audioSeconds(wav(pcm(1_000), 2))).toBe(16)
  })

  test('of a FLAC file costs no less than its frames', () => {
    const rate = [0x0a, 0xc4, 0x40 | 0x02, 0xf0]
    const head: readonly Part[] = ['fLaC', [0, 0, 0, 34], zeros(10), rate, u32(1), zeros(20)]
    // 4,096 samples at 44,100 per second, frame 0, with the checksum of these bytes.
    const frame: readonly Part[] = [[0xff, 0xf8, 0xc9, 0x18, 0x00, 0xc2], zeros(20)]
    expect(audioSeconds(bytesOf(...head, ...repeat(frame, 100)))).toBeCloseTo((100 * 4_096) / 44_100)
  })

  test('of an Opus file costs no less than its packets', () => {
    const page = (position: number, packets: readonly Part[][]): Part[] => [
      'OggS',
      [0, 0],
      { value: position, bytes: 8, little: true },
      zeros(12),
      [packets.length, ...packets.map(packet => bytesOf(...packet).length)],
      ...packets.flat(),
    ]
    const head: Part[] = ['OpusHead', zeros(11)]
    // Silk, 20 ms, three frames.
    const packet: Part[] = [[0x0b, 0x03], zeros(10)]
    const opus = bytesOf(...page(0, [head]), ...repeat(page(1, [packet, packet]), 50))
    expect(audioSeconds(opus)).toBeCloseTo(50 * 2 * 0.06)
  })

  test('of an MP4 file costs no less than the frames of its audio track, in one piece or in fragments', () => {
    const box = (name: string, ...body: readonly Part[]): Part[] => {
      const bytes = bytesOf(...body)
      return [u32(bytes.length + 8), name, [...bytes]]
    }
    const head = box('ftyp', 'M4A ', zeros(4))
    const mvhd = box('mvhd', zeros(12), u32(1_000), u32(1_000), zeros(80))
    const table = box('stbl', ...box('stsz', zeros(8), u32(4_800), zeros(4)))
    const media = box('mdia', ...box('hdlr', zeros(8), 'soun', zeros(12)), ...box('minf', ...table))
    const movie = box('moov', ...mvhd, ...box('trak', ...media))
    expect(audioSeconds(bytesOf(...head, ...movie, ...box('mdat', zeros(9_000))))).toBeCloseTo(102.4)
    const fragment = box('moof', ...box('traf', ...box('trun', zeros(4), u32(48), zeros(8))))
    const payload = box('mdat', zeros(9_000))
    const fragments = bytesOf(...head, ...box('moov', ...mvhd), ...repeat(fragment, 100), ...payload)
    expect(audioSeconds(fragments)).toBeCloseTo(102.4)
  })

  test('of a WebM file costs no less than its Opus packets', () => {
    const element = (id: readonly number[], body: readonly Part[]): Part[] => {
      const bytes = [...bytesOf(...body)]
      return [id, [0x40 | (bytes.length >> 8), bytes.length & 255], bytes]
    }
    const duration = element([0x44, 0x89], [[0x45, 0x7a, 0x00, 0x00]])
    const info = element([0x15, 0x49, 0xa9, 0x66], duration)
    const entry = element([0xae], [...element([0xd7], [[1]]), ...element([0x86], ['A_OPUS'])])
    // Track 1, time 0, no lacing; Silk, 60 ms, one frame.
    const block = element([0xa3], [[0x81, 0, 0, 0, 0x18], zeros(8)])
    const cluster = element([0x1f, 0x43, 0xb6, 0x75], repeat(block, 100))
    const open: Part = [0x18, 0x53, 0x80, 0x67, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]
    const ebml: Part = [0x1a, 0x45, 0xdf, 0xa3, 0x81, 0]
    const tracks = element([0x16, 0x54, 0xae, 0x6b], entry)
    expect(audioSeconds(bytesOf(ebml, open, ...info, ...tracks, ...repeat(cluster, 10)))).toBeCloseTo(60)
  })

  test('costs little time, whatever the bytes', () => {
    const starts = [
      'RIFF1234WAVE',
      'fLaC',
      'OggS',
      'ID3',
      '1234ftyp',
      '\x1a\x45\xdf\xa3\x81\x00',
      '\xff\xfb\x90\x64',
    ]
    const startedMs = performance.now()
    for (const start of starts)
      for (const byte of [0xff, 0x00]) {
        const bytes = new Uint8Array(16 * 2 ** 20).fill(byte)
        bytes.set(bytesOf(start))
        audioSeconds(bytes)
      }
    expect(performance.now() - startedMs).toBeLessThan(2_000)
  })
})

test('terminates without an exception for arbitrary bytes after any signature', () => {
  const start = fc.constantFrom(
    'RIFF1234WAVE',
    'fLaC',
    'OggS',
    '1234ftyp',
    '\x1a\x45\xdf\xa3',
    'ID3',
    '\xff\xfb',
    '',
  )
  fc.assert(
    fc.property(start, fc.uint8Array({ maxLength: 400 }), (text, rest) => {
      const seconds = audioSeconds(new Uint8Array([...bytesOf(text), ...rest]))
      expect(seconds).toBeGreaterThanOrEqual(0)
      expect(Number.isFinite(seconds)).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})

test('counts a thousand tokens per minute and rounds up to whole seconds', () => {
  expect([0.1, 1, 59.5, 60, 60.1].map(audioDurationTokens)).toEqual([17, 17, 1000, 1000, 1017])
})
