import { createStore } from '../ui/create-store.ts'

/** Which of the two helpers over the page is open. */
export const openHelper = createStore<'palette' | 'shortcuts' | undefined>(undefined)

export const openPalette = (): void => openHelper.set('palette')
export const openShortcutSheet = (): void => openHelper.set('shortcuts')
export const closeHelper = (): void => openHelper.set(undefined)
