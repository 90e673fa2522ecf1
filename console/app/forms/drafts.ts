import { useEffect, useState } from 'react'

type Draft = () => unknown

const open = new Map<string, Draft>()
const PREFIX = 'draft-'

/** Keeps what stands in the open forms, for after the sign-in. Called when the session has ended. */
export function keepDrafts(): void {
  for (const [name, draft] of open) {
    const values = draft()
    if (values !== undefined) sessionStorage.setItem(PREFIX + name, JSON.stringify(values))
  }
}

/** What was kept under this name; read once, then gone. */
export function takeDraft(name: string): unknown {
  const stored = sessionStorage.getItem(PREFIX + name)
  sessionStorage.removeItem(PREFIX + name)
  return stored === null ? undefined : JSON.parse(stored)
}

/** What this form held when the session ended, if it did. */
export function useDraft(name: string): unknown {
  return useState(() => takeDraft(name))[0]
}

/** Gives the values of an open form, or undefined while nothing was changed. Never secrets. */
export function useDraftKeeper(name: string, draft: Draft): void {
  useEffect(() => {
    open.set(name, draft)
    return () => {
      open.delete(name)
    }
  }, [name, draft])
}
