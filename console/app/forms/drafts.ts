import { useEffect, useState } from 'react'
import { currentUser } from '../session/session.ts'

type Draft = () => unknown

const openForms = new Map<string, Draft>()
const PREFIX = 'draft-'

/** Drafts belong to the user who typed them: whoever signs in next must not see them. */
const prefixOf = (userId: number): string => `${PREFIX}${userId}-`

/** Saves the input of all open forms of a user, to restore it after signing in again. Called when the session ends. */
export function saveDrafts(userId: number): void {
  for (const [name, draft] of openForms) {
    const values = draft()
    if (values !== undefined) sessionStorage.setItem(prefixOf(userId) + name, JSON.stringify(values))
  }
}

/** Deletes all drafts except those of one user. */
export function dropDrafts(exceptUserId?: number): void {
  const kept = exceptUserId === undefined ? undefined : prefixOf(exceptUserId)
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith(PREFIX) && !(kept && key.startsWith(kept))) sessionStorage.removeItem(key)
}

/** Reads and removes a saved draft of the signed-in user. */
function takeDraft(name: string): unknown {
  const key = prefixOf(currentUser()?.id ?? 0) + name
  const stored = sessionStorage.getItem(key)
  sessionStorage.removeItem(key)
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
