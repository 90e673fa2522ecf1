import { useEffect } from 'react'
import { createStore, useStore } from '../../ui/store.ts'
import { readStored, writeStored } from '../preferences/local-store.ts'

/** Which of the two overlays of the page is open. */
export const openOverlay = createStore<'palette' | 'shortcuts' | undefined>(undefined)

export const openPalette = (): void => openOverlay.set('palette')
export const openShortcutSheet = (): void => openOverlay.set('shortcuts')
export const closeOverlay = (): void => openOverlay.set(undefined)

export interface Shortcut {
  /** `g t`, `/`, `n`, `mod+k`. `mod` is ⌘ or Ctrl. */
  readonly keys: string
  readonly label: string
  readonly run: () => void
}

const SEQUENCE_MS = 900

const registered = createStore<readonly Shortcut[]>([])
const singleKeys = createStore(readStored('shortcuts') !== 'off')

export const useShortcuts = (): readonly Shortcut[] => useStore(registered)
export const useSingleKeys = (): boolean => useStore(singleKeys)

/** Screen readers have single keys of their own: ours can be switched off. */
export function allowSingleKeys(isAllowed: boolean): void {
  writeStored('shortcuts', isAllowed ? undefined : 'off')
  singleKeys.set(isAllowed)
}

/** Registers a shortcut while the component stands. The last one registered for the same keys wins. */
export function useShortcut(keys: string, label: string, run: () => void): void {
  useEffect(() => {
    const shortcut = { keys, label, run }
    registered.set([...registered.get(), shortcut])
    return () => registered.set(registered.get().filter(other => other !== shortcut))
  }, [keys, label, run])
}

const TYPING = 'input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]'

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(TYPING) !== null
}

/** One that is asked for counts before its code has come. */
const isOverlayOpen = (): boolean =>
  openOverlay.get() !== undefined ||
  document.querySelector('[role=dialog], [role=alertdialog], [role=menu]') !== null

function stroke(event: KeyboardEvent): string {
  const mod = event.metaKey || event.ctrlKey ? 'mod+' : ''
  return mod + (event.key.length === 1 ? event.key.toLowerCase() : event.key)
}

/** Listens for the registered keys. Single keys never fire while somebody types, composes, or answers a dialog. */
export function listenForShortcuts(): void {
  let first = ''
  let firstAt = 0
  document.addEventListener('keydown', event => {
    if (event.defaultPrevented || event.isComposing || event.altKey) return
    const pressed = stroke(event)
    const isSingle = !pressed.startsWith('mod+')
    if (isSingle && (isTyping(event.target) || isOverlayOpen() || !singleKeys.get())) return
    const sequence = event.timeStamp - firstAt < SEQUENCE_MS ? `${first} ${pressed}` : pressed
    const shortcut = find(sequence) ?? find(pressed)
    first = pressed
    firstAt = event.timeStamp
    if (!shortcut) return
    event.preventDefault()
    shortcut.run()
  })
}

const find = (keys: string): Shortcut | undefined =>
  registered.get().findLast(shortcut => shortcut.keys === keys)
