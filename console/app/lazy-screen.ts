import type { ComponentType } from 'react'
import { lazyPart } from '../ui/lazy-part.ts'
import type { Screen } from './define-screen.ts'

const RELOADED = 'reloaded-for-update'

type ScreenPart = ReturnType<typeof lazyPart<object>>

const parts = new Map<Screen, ScreenPart>()

/** The component of a screen, fetched when it is first drawn or preloaded. */
export function lazyScreen(screen: Screen): ScreenPart {
  const known = parts.get(screen)
  if (known) return known
  const part = lazyPart(() => loadOrReload(screen))
  parts.set(screen, part)
  return part
}

/** After an update the old code is gone from the server: the page reloads once, then the error is shown. */
async function loadOrReload(screen: Screen): Promise<ComponentType> {
  try {
    const Page = await screen.load()
    sessionStorage.removeItem(RELOADED)
    return Page
  } catch (error) {
    if (sessionStorage.getItem(RELOADED) !== null) throw error
    sessionStorage.setItem(RELOADED, '1')
    window.location.reload()
    return new Promise(() => undefined)
  }
}
