import { afterEach, beforeEach, expect, test } from 'bun:test'
import { screen } from '@testing-library/dom'
import { type UserEvent, userEvent } from '@testing-library/user-event'
import { createRoot, type Root } from 'react-dom/client'
import { changeLanguage } from '../../ui/text/text.ts'
import { formatDateTime, nowSeconds, parseDateTime } from '../format/format.tsx'
import { RangeFilter } from './range-filter.tsx'
import type { RangeChange } from './ranges.ts'

const START = parseDateTime('2026-01-05 10:00:00') ?? 0
const END = parseDateTime('2026-01-20 11:30:00') ?? 0

let root: Root | undefined
let changes: RangeChange[] = []

beforeEach(() => changeLanguage('en'))

afterEach(() => {
  root?.unmount()
  document.body.replaceChildren()
  changes = []
})

/** Opens the filter with a range in January 2026. */
async function openFilter(): Promise<UserEvent> {
  root = createRoot(document.body.appendChild(document.createElement('div')))
  root.render(
    <RangeFilter
      isExact
      range="30d"
      span={{ start: START, end: END }}
      endSeconds={END}
      onChange={change => changes.push(change)}
    />,
  )
  const user = userEvent.setup()
  await user.click(await screen.findByRole('button', { name: /^Time: / }))
  await screen.findByRole('grid')
  return user
}

const day = (name: string) => screen.getByRole('button', { name })
const apply = (user: UserEvent) => user.click(screen.getByRole('button', { name: 'Apply' }))
const chosen = () => changes.map(({ from, to }) => [from, to].map(text => formatDateTime(Number(text))))

async function type(user: UserEvent, label: string, text: string): Promise<void> {
  await user.clear(screen.getByLabelText(label))
  await user.type(screen.getByLabelText(label), text)
}

test('spans two days of the calendar, in whichever order they are chosen', async () => {
  const user = await openFilter()
  await user.click(day('Wednesday, January 14, 2026'))
  expect(screen.getByText('Now choose the last day')).toBeDefined()
  await user.click(day('Thursday, January 8, 2026'))
  await apply(user)
  expect(chosen()).toEqual([['2026-01-08 00:00:00', '2026-01-14 23:59:59']])
})

test('takes one day of the calendar as a whole day', async () => {
  const user = await openFilter()
  await user.click(day('Wednesday, January 14, 2026'))
  await apply(user)
  expect(chosen()).toEqual([['2026-01-14 00:00:00', '2026-01-14 23:59:59']])
})

test('ends now where a later end was typed', async () => {
  const user = await openFilter()
  await type(user, 'To', '2999-01-01 00:00:00')
  await apply(user)
  expect(Number(changes[0]?.from)).toBe(START)
  expect(Math.abs(Number(changes[0]?.to) - nowSeconds())).toBeLessThan(60)
})

test.each(['2026-01-01 00:00:00', 'tomorrow', '2026-02-30 00:00:00'])(
  'rejects %p as the end of a range that starts on January 5',
  async text => {
    const user = await openFilter()
    await type(user, 'To', text)
    await apply(user)
    expect(screen.getByText(/The end must not be before the start/)).toBeDefined()
    expect(changes).toEqual([])
  },
)

test('chooses a preset without exact times', async () => {
  const user = await openFilter()
  await user.click(screen.getByRole('button', { name: 'Last month' }))
  expect(changes).toEqual([{ range: 'lastMonth', from: '', to: '' }])
})
