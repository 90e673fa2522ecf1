import { useEffect, useState } from 'react'

type Draft = () => unknown

const openForms = new Map<string, Draft>()
const PREFIX = 'draft-'

/** Saves the input of all open forms, to restore it after signing in again. Called when the session expires. */
export function saveDrafts(): void {
  for (const [name, draft] of openForms) {
    const values = draft()
    if (values !== undefined) sessionStorage.setItem(PREFIX + name, JSON.stringify(values))
  }
}

/** Reads and removes a saved draft. */
export function takeDraft(name: string): unknown {
  const stored = sessionStorage.getItem(PREFIX + name)
  sessionStorage.removeItem(PREFIX + name)
  return stored === null ? undefined : JSON.parse(stored)
}

/** The draft of this form from before the session expired, if there is one. */
export function useDraft(name: string): unknown {
  return useState(() => takeDraft(name))[0]
}

/** Registers an open form. `draft` returns its values without secrets, or undefined while nothing changed. */
export function useDraftSaver(name: string, draft: Draft): void {
  useEffect(() => {
    openForms.set(name, draft)
    return () => {
      openForms.delete(name)
    }
  }, [name, draft])
}
