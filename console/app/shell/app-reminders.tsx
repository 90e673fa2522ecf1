import { Suspense, useState } from 'react'
import { lazyPart } from '../../ui/lazy-part.ts'
import { readStored, writeStored } from '../preferences/local-store.ts'
import { useUser } from '../session/session.ts'

const password = lazyPart(async () => (await import('./reminder-dialogs.tsx')).PasswordDialog)
const newYear = lazyPart(async () => (await import('./reminder-dialogs.tsx')).NewYearGreeting)

const thisYear = (): string => String(new Date().getFullYear())

const isNewYearsDay = (): boolean => {
  const today = new Date()
  return today.getMonth() === 0 && today.getDate() === 1
}

/** Unprompted dialogs: changing the initial password, and the New Year greeting. */
export function AppReminders() {
  const user = useUser()
  const [isPutOff, setPutOff] = useState(false)
  const [isGreeted, setGreeted] = useState(() => !isNewYearsDay() || readStored('new-year') === thisYear())
  const greeted = () => {
    writeStored('new-year', thisYear())
    setGreeted(true)
  }
  return (
    <Suspense fallback={null}>
      {user?.must_change_password && !isPutOff && (
        <password.Part user={user} onClose={() => setPutOff(true)} />
      )}
      {!isGreeted && <newYear.Part onClose={greeted} />}
    </Suspense>
  )
}
