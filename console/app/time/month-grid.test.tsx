import { afterEach, beforeEach, expect, test } from 'bun:test'
import { screen } from '@testing-library/dom'
import { userEvent } from '@testing-library/user-event'
import { createRoot, type Root } from 'react-dom/client'
import { changeLanguage, type Language } from '../../ui/text/text.ts'
import { MonthGrid } from './month-grid.tsx'

let root: Root | undefined
let picked: string[] = []

beforeEach(() => changeLanguage('en'))

afterEach(() => {
  root?.unmount()
  document.body.replaceChildren()
  picked = []
})

interface GridOptions {
  readonly day: string
  readonly lastDay?: string
  readonly language?: Language
}

/** Opens the month of a day, which has the focus. */
async function openGrid({ day, lastDay, language = 'en' }: GridOptions) {
  changeLanguage(language)
  root = createRoot(document.body.appendChild(document.createElement('div')))
  root.render(
    <MonthGrid from={day} to={day} {...(lastDay && { lastDay })} onPick={value => picked.push(value)} />,
  )
  await screen.findByRole('grid')
  focusable()[0]?.focus()
  return userEvent.setup()
}

const focusable = () => [...document.querySelectorAll<HTMLButtonElement>('[role=grid] button[tabindex="0"]')]

async function press(day: string, keys: string, options: Omit<GridOptions, 'day'> = {}): Promise<string[]> {
  const user = await openGrid({ day, ...options })
  await user.keyboard(`${keys}{Enter}`)
  return picked
}

test.each([
  ['{ArrowLeft}', '2026-10-31'],
  ['{ArrowRight}', '2026-11-02'],
  ['{ArrowUp}', '2026-10-25'],
  ['{ArrowDown}', '2026-11-08'],
  ['{PageUp}', '2026-10-01'],
  ['{PageDown}', '2026-12-01'],
  ['{End}', '2026-11-07'],
  ['{ArrowRight}{Home}', '2026-11-01'],
])('moves from November 1 by %s to %s', async (keys, expected) => {
  expect(await press('2026-11-01', keys)).toEqual([expected])
})

test('begins weeks on Monday in Chinese', async () => {
  expect(await press('2026-11-04', '{Home}', { language: 'zh' })).toEqual(['2026-11-02'])
})

test('moves to the last day of a shorter month', async () => {
  expect(await press('2026-03-31', '{PageUp}')).toEqual(['2026-02-28'])
})

test('stops at the last day', async () => {
  expect(await press('2026-11-20', '{PageDown}', { lastDay: '2026-11-21' })).toEqual(['2026-11-21'])
})

test('disables what follows the last day', async () => {
  const user = await openGrid({ day: '2026-11-20', lastDay: '2026-11-21' })
  await user.click(screen.getByRole('button', { name: 'Sunday, November 22, 2026' }))
  expect(picked).toEqual([])
  expect(screen.getByRole('button', { name: 'Next month' })).toHaveProperty('disabled', true)
})

test('has one tab stop among the days, which names the whole date', async () => {
  await openGrid({ day: '2026-11-21' })
  expect(focusable().map(day => day.getAttribute('aria-label'))).toEqual(['Saturday, November 21, 2026'])
})

test('shows other months by its buttons', async () => {
  const user = await openGrid({ day: '2026-01-31' })
  await user.click(screen.getByRole('button', { name: 'Previous month' }))
  expect(screen.getByText('December 2025')).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Next month' }))
  expect(screen.getByText('January 2026')).toBeDefined()
})
