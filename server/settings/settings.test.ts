import { expect, test } from 'bun:test'
import { flag, inSection, integer, UNITS } from '#contract/options/define-option.ts'
import { SECTIONS } from '#contract/options/sections.ts'
import { systemOptions } from '#contract/options/system-options.ts'
import { createSecrets } from '../core/crypto.ts'
import { noopLogger } from '../core/logger.ts'
import { bumpVersion } from '../db/engine/cached-value.ts'
import { upsertOption } from '../db/system/options.ts'
import { openTestDatabase } from '../db/testing.ts'
import { loadSettings } from './settings.ts'

const notes = inSection(SECTIONS.general, {
  NotesEnabled: flag(false, { label: { zh: '笔记', en: 'Notes' } }),
  NotesDays: integer(30, [1, 365], {
    label: { zh: '保留时间', en: 'Time to keep notes' },
    unit: UNITS.days,
  }),
})

test('gives the values of declared options as they are now, and of no others', async () => {
  const { db, close } = await openTestDatabase()
  const secrets = createSecrets('a secret key for tests')
  const settings = await loadSettings({
    db,
    secrets,
    log: noopLogger,
    options: { ...systemOptions, ...notes },
  })
  expect(settings.of(notes)).toMatchObject({ NotesEnabled: false, NotesDays: 30 })
  await upsertOption(db, { key: 'NotesDays', value: '7' })
  await bumpVersion(db, 'options')
  await settings.refresh()
  expect(settings.of(notes).NotesDays).toBe(7)
  const { RetryTimes } = systemOptions
  expect(settings.of({ RetryTimes, ...notes }).RetryTimes).toBe(0)
  const OtherDays = notes.NotesDays
  expect(() => settings.of({ OtherDays })).toThrow(
    'no feature declares the option OtherDays: list it in the options of defineFeature()',
  )
  await close()
})
