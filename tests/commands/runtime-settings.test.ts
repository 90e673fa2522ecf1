import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { PROJECT } from '../harness/program.ts'

type KnownSettings = (settings: Readonly<Record<string, string>>, bun: string) => Record<string, string>

/** Safe cast: the script is plain JavaScript, because launchers run it before node_modules exists. */
async function importKnownSettings(): Promise<KnownSettings> {
  const script = await import(join(PROJECT, 'scripts', 'lib', 'runtime-settings.mjs'))
  return script.knownSettings as KnownSettings
}

test('leaves out engine options that the runtime does not know, and keeps the others', async () => {
  const knownSettings = await importKnownSettings()
  const known = { BUN_JSC_useWarmUpMarkedBlocks: '0', BUN_CONFIG_MAX_HTTP_REQUESTS: '65336' }
  expect(knownSettings(known, process.execPath)).toEqual(known)
  expect(knownSettings({ ...known, BUN_JSC_anOptionOfAnotherVersion: '1' }, process.execPath)).toEqual(known)
})
