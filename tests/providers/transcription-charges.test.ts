import { afterEach, expect, test } from 'bun:test'
import { auditLedger } from '#server/ledger/audit.ts'
import { createPriceBook } from '#server/pricing/price-book.ts'
import { receivedResponse } from '#server/testing/received-response.ts'
import { TestRelay } from '#server/testing/test-relay.ts'

/** A model with a price by the second costs the same whoever serves it, whichever format its text has, and whoever counts the seconds. */

let relay: TestRelay | undefined
afterEach(async () => {
  if (!relay) return
  expect((await auditLedger(relay.db)).drift).toBe(0)
  await relay.close()
  relay = undefined
})

/** Six tenths of a cent a minute, in units. */
const MINUTE = 3_000
const RATE = 100
const MODEL = 'whisper-1'

/** Silence of eight bits. */
function createWav(seconds: number): File {
  const bytes = Buffer.alloc(44 + seconds * RATE)
  bytes.write('RIFF', 0)
  bytes.writeUInt32LE(bytes.length - 8, 4)
  bytes.write('WAVEfmt ', 8)
  bytes.writeUInt32LE(16, 16)
  for (const [value, at] of [
    [1, 20],
    [1, 22],
    [1, 32],
    [8, 34],
  ] as const)
    bytes.writeUInt16LE(value, at)
  for (const at of [24, 28]) bytes.writeUInt32LE(RATE, at)
  bytes.write('data', 36)
  bytes.writeUInt32LE(seconds * RATE, 40)
  return new File([bytes], 'speech.wav', { type: 'audio/wav' })
}

const PROVIDERS = { openai: 1, azure: 3, custom: 8, openaimax: 6, siliconflow: 40, xinference: 47 } as const
const SRT = '1\n00:00:00,000 --> 00:01:00,000\nhi\n'

/** What the client asks for, what the provider writes, and the minutes that are charged. */
const RESPONSES = {
  'nothing of its length': ['json', () => Response.json({ text: 'hi' }), 1],
  'seconds in usage': [
    'json',
    () => Response.json({ text: 'hi', usage: { type: 'duration', seconds: 90 } }),
    1.5,
  ],
  'a duration': ['verbose_json', () => Response.json({ text: 'hi', duration: 30, segments: [] }), 0.5],
  'text alone': ['text', () => new Response('hi\n', { headers: { 'content-type': 'text/plain' } }), 1],
  subtitles: ['srt', () => new Response(SRT, { headers: { 'content-type': 'text/plain' } }), 1],
} as const

async function chargeFor(
  type: number,
  path: string,
  [format, respond]: readonly [string, () => Response, number],
): Promise<number> {
  relay = await TestRelay.open({
    send: async () => receivedResponse(respond()),
    prices: createPriceBook({ GroupRatio: { default: 1 } }),
    wallet: 1_000_000,
  })
  await relay.addChannel({ type, models: MODEL, base_url: 'https://provider.test/v1/chat/completions' })
  const form = new FormData()
  for (const [name, value] of Object.entries({ model: MODEL, response_format: format })) form.set(name, value)
  form.set('file', createWav(60))
  const response = await relay.request(path, await relay.addToken(), form)
  const text = await response.text()
  expect([response.status, text]).toEqual([200, text])
  const row = await relay.db.selectFrom('logs').select('quota').executeTakeFirstOrThrow()
  return Number(row.quota)
}

for (const [name, type] of Object.entries(PROVIDERS))
  test.each(Object.entries(RESPONSES))(
    `a minute at ${name} with %s is charged by the second`,
    async (_, reply) => {
      // This provider knows JSON only; other formats are written here.
      const isJsonOnly = name === 'siliconflow' && reply[0] !== 'json' && reply[0] !== 'verbose_json'
      const read = isJsonOnly ? RESPONSES['nothing of its length'] : reply
      expect(await chargeFor(type, '/v1/audio/transcriptions', [reply[0], read[1], read[2]])).toBe(
        MINUTE * reply[2],
      )
    },
  )

test.each(['openai', 'azure', 'xinference'] as const)('so is a translation at %s', async name => {
  const reply = RESPONSES['nothing of its length']
  expect(await chargeFor(PROVIDERS[name], '/v1/audio/translations', reply)).toBe(MINUTE)
})
