import { expect, test } from 'bun:test'
import './vite-glob.ts'

test('finds the same screens and slots as the build', async () => {
  const { screens } = await import('../app/router/screens.ts')
  const { filledSlots } = await import('../app/filled-slots.ts')
  expect(screens.map(({ path }) => path)).toContain('/detail')
  expect(filledSlots('dashboardPanels').map(({ tab }) => tab)).toEqual(['analytics', 'reconciliation'])
})
