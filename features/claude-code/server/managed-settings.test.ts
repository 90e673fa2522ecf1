import { expect, test } from 'bun:test'
import { TestRelay } from '#server/testing/test-relay.ts'

const CHAT = ['claude-sonnet-4-5', 'gpt-5.4-mini', 'gemini-2.5-pro', 'my-own-model', 'gpt-5.4-of-mine']
const OTHERS = [
  ...['text-embedding-3-small', 'bge-large-of-mine', 'gpt-image-1', 'gpt-image-1-of-mine', 'dall-e-3'],
  ...['whisper-1', 'tts-1', 'cosyvoice-of-mine', 'omni-moderation-latest', 'gpt-realtime', 'mj_imagine'],
]

test('offers Claude Code only the models that it can talk to', async () => {
  const relay = await TestRelay.open({
    options: { DeviceSignInEnabled: true, ClaudeCodeSettings: { '*': {} } },
  })
  await relay.addChannel({ models: [...CHAT, ...OTHERS].join(',') })
  const response = await relay.request('/managed/settings', await relay.addToken(), undefined)
  const { settings } = await response.json()
  expect([...settings.availableModels].sort()).toEqual([...CHAT].sort())
  await relay.close()
})
