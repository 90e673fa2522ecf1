import { describe, expect, test } from 'bun:test'
import { loadProviders } from '#server/compose/modules.ts'
import { completionTokens, promptTokens } from '#server/core/usage.ts'
import type { Provider } from '#server/provider-kit/contract/provider.ts'
import { asArray, asObject } from '#server/provider-kit/json.ts'
import { createRealtimeMeter } from '#server/provider-kit/openai-realtime/realtime.ts'
import { createRegistry } from '#server/providers/registry.ts'
import { type ProviderFixtures, readFixtures } from './provider-fixtures.ts'

const modules = await loadProviders()

for (const provider of createRegistry(modules).all()) {
  if (!provider.realtime) continue
  const folder = [...modules].find(([, module]) => module.provider === provider)?.[0] ?? ''
  describe(`realtime conversations of ${folder}`, () => checkRealtime(provider, readFixtures(folder)))
}

function checkRealtime({ realtime }: Provider, fixtures: ProviderFixtures): void {
  const recorded = [...fixtures.expectations].filter(([, expected]) => expected.realtime)
  const calls = ['', '2024-10-01-preview', 'preview'].map(other => {
    const call = fixtures.callOf({}, 'gpt-4o-realtime-preview')
    return { ...call, channel: { ...call.channel, other } }
  })

  test('have a fixture', () => expect(recorded).not.toEqual([]))
  for (const [file, { realtime: used }] of recorded)
    test(`count the usage of ${file}`, () => expect(usageOf(fixtures.json(file))).toEqual(used ?? {}))
  test('open a WebSocket that names the model, with the key in a header only', () => {
    for (const call of calls) {
      const { url, headers } = realtime?.request(call) ?? { url: '', headers: {} }
      expect(url).toMatch(/^wss:.*[=]gpt-4o-realtime-preview/)
      for (const secret of fixtures.secrets) {
        expect(url).not.toContain(secret)
        expect(JSON.stringify(headers)).toContain(secret)
      }
    }
  })
}

function usageOf(frames: unknown): Record<string, number> {
  const meter = createRealtimeMeter(usage => ({ usage }))
  for (const { dir, frame } of asArray(frames).map(asObject)) {
    if (dir === 'up') meter.fromClient(JSON.stringify(frame))
    else meter.fromUpstream(JSON.stringify(frame))
  }
  expect(meter.isEstimated()).toBe(false)
  const usage = meter.usage()
  return {
    prompt_tokens: promptTokens(usage),
    completion_tokens: completionTokens(usage),
    cached_tokens: usage.cachedInput,
    audio_input: usage.audioInput,
    audio_output: usage.audioOutput,
  }
}
