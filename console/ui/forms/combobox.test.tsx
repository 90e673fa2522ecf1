import { afterEach, expect, test } from 'bun:test'
import { screen } from '@testing-library/dom'
import { type UserEvent, userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { Combobox } from './combobox.tsx'

const TYPES = ['OpenAI', 'Anthropic', 'Google Gemini', 'Moonshot'].map(label => ({
  value: label.toLowerCase(),
  label,
}))

let root: Root | undefined
let submitted: string[] = []

afterEach(() => {
  root?.unmount()
  document.body.replaceChildren()
  submitted = []
})

function Form() {
  const [type, setType] = useState('openai')
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        submitted.push(type)
      }}
    >
      <Combobox aria-label="Type" options={TYPES} value={type} onChange={setType} />
      <output>{type}</output>
      <button type="submit">Save</button>
    </form>
  )
}

async function openForm(): Promise<{ readonly user: UserEvent; readonly field: HTMLElement }> {
  const element = document.body.appendChild(document.createElement('div'))
  root = createRoot(element)
  root.render(<Form />)
  return { user: userEvent.setup(), field: await screen.findByLabelText('Type') }
}

const chosen = () => screen.getByRole('status', { hidden: true }).textContent

test('replaces the chosen label by what is typed after a click, and takes the first match with Enter', async () => {
  const { user, field } = await openForm()
  await user.click(field)
  await user.keyboard('anth')
  expect(field).toHaveProperty('value', 'anth')
  await user.keyboard('{Enter}')
  expect(chosen()).toBe('anthropic')
  expect(submitted).toEqual([])
})

test('does not submit the form while the typed text matches nothing', async () => {
  const { user, field } = await openForm()
  await user.click(field)
  await user.keyboard('nobody{Enter}')
  expect(submitted).toEqual([])
  expect(chosen()).toBe('openai')
})

test('submits the form with Enter once an item is chosen', async () => {
  const { user, field } = await openForm()
  await user.click(field)
  await user.keyboard('moon{Enter}')
  await user.keyboard('{Enter}')
  expect(submitted).toEqual(['moonshot'])
})
