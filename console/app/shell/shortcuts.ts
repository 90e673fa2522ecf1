import { useEffect } from 'react'
import { createStore, useStore } from '../../ui/store.ts'
import { readStored, writeStored } from '../preferences/local-store.ts'

/** The open global overlay. */
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

/** Single-key shortcuts can be turned off, because they conflict with those of screen readers. */
export function setSingleKeys(isAllowed: boolean): void {
  writeStored('shortcuts', isAllowed ? undefined : 'off')
  singleKeys.set(isAllowed)
}

/** Registers a shortcut while the component is mounted. The latest registration of the same keys wins. */
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

/** A requested overlay counts as open while its code still loads. */
const isOverlayOpen = (): boolean =>
  openOverlay.get() !== undefined ||
  document.querySelector('[role=dialog], [role=alertdialog], [role=menu]') !== null

function pressedKey(event: KeyboardEvent): string {
  const mod = event.metaKey || event.ctrlKey ? 'mod+' : ''
  return mod + (event.key.length === 1 ? event.key.toLowerCase() : event.key)
}

/** Handles the registered shortcuts. Single keys do not fire while typing, composing or in a dialog. */
export function listenForShortcuts(): void {
  let first = ''
  let firstAt = 0
  document.addEventListener('keydown', event => {
    if (event.defaultPrevented || event.isComposing || event.altKey) return
    const pressed = pressedKey(event)
    const isSingle = !pressed.startsWith('mod+')
    if (isSingle && (isTyping(event.target) || isOverlayOpen() || !singleKeys.get())) return
    const sequence = event.timeStamp - firstAt < SEQUENCE_MS ? `${first} ${pressed}` : pressed
    const shortcut = findShortcut(sequence) ?? findShortcut(pressed)
    first = pressed
    firstAt = event.timeStamp
    if (!shortcut) return
    event.preventDefault()
    shortcut.run()
  })
}

const findShortcut = (keys: string): Shortcut | undefined =>
  registered.get().findLast(shortcut => shortcut.keys === keys)
