import { afterEach, beforeEach, expect, test } from 'bun:test'
import { dropUserData } from '#console/app/session/user-storage.ts'
import {
  deletePreset,
  PRESETS_MAX,
  Settings,
  savePreset,
  storedPresets,
  storedSettings,
  storeSettings,
} from './settings.ts'

const [ANNA, BERT] = [7, 8]
const BRIEF = Settings.parse({ system: 'Be brief.' })
const { localStorage } = globalThis

let stored: Map<string, string>

beforeEach(() => {
  stored = new Map([['user', JSON.stringify({ id: ANNA })]])
  Object.assign(globalThis, {
    localStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
      removeItem: (key: string) => stored.delete(key),
    },
  })
})

afterEach(() => {
  Object.assign(globalThis, { localStorage })
})

test('settings and presets belong to one user, and are deleted when another signs in', () => {
  storeSettings(ANNA, BRIEF)
  savePreset(ANNA, { name: 'Brief', settings: BRIEF })
  expect(storedSettings(ANNA)).toEqual(BRIEF)
  expect(storedSettings(BERT)).toEqual(Settings.parse({}))
  expect(storedPresets(BERT)).toEqual([])
  dropUserData(ANNA)
  expect(storedPresets(ANNA)).toHaveLength(1)
  dropUserData(BERT)
  expect(stored.has('playground')).toBe(false)
})

test('settings of earlier versions, which name no user, are not shown to anybody', () => {
  stored.set('playground', JSON.stringify(BRIEF))
  expect(storedSettings(ANNA).system).toBe('')
})

test('a preset replaces one with the same name, can be deleted, and their number is bounded', () => {
  savePreset(ANNA, { name: 'b', settings: BRIEF })
  savePreset(ANNA, { name: 'a', settings: BRIEF })
  savePreset(ANNA, { name: 'b', settings: { ...BRIEF, temperature: 0.5 } })
  expect(storedPresets(ANNA).map(({ name, settings }) => [name, settings.temperature])).toEqual([
    ['a', 0],
    ['b', 0.5],
  ])
  expect(deletePreset(ANNA, 'a').map(({ name }) => name)).toEqual(['b'])
  for (let index = 0; index < PRESETS_MAX + 5; index += 1)
    savePreset(ANNA, { name: `preset ${index}`, settings: BRIEF })
  expect(storedPresets(ANNA)).toHaveLength(PRESETS_MAX)
})
