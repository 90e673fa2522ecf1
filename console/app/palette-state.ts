import { createStore } from '../ui/create-store.ts'

/** Which of the two overlays of the page is open. */
export const openOverlay = createStore<'palette' | 'shortcuts' | undefined>(undefined)

export const openPalette = (): void => openOverlay.set('palette')
export const openShortcutSheet = (): void => openOverlay.set('shortcuts')
export const closeOverlay = (): void => openOverlay.set(undefined)
