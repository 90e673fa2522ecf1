import { useQuery } from '@tanstack/react-query'
import type { User } from '#contract/users.ts'
import { LoadError } from '../../app/load-error.tsx'
import { useUser } from '../../app/session.ts'
import { Sheet } from '../../ui/sheet.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useText } from '../../ui/text.ts'
import { type OpenSheet, usePlace } from './place.ts'
import { userQuery } from './queries.ts'
import { mayEdit } from './standing.ts'
import { text } from './text.ts'
import { UserEditor } from './user-editor.tsx'
import { UserFacts } from './user-facts.tsx'
import { UserMaker } from './user-maker.tsx'

interface UserSheetProps {
  readonly open: OpenSheet
  readonly rows: readonly User[]
}

/** The sheet that the address asks for: a new user, or a stored one, editable or not. */
export function UserSheet({ open, rows }: UserSheetProps) {
  return open.mode === 'add' ? <UserMaker /> : <StoredUser key={open.id} id={open.id} rows={rows} />
}

function StoredUser({ id, rows }: { readonly id: number; readonly rows: readonly User[] }) {
  const t = useText(text)
  const place = usePlace()
  const self = useUser()
  const listed = rows.find(user => user.id === id)
  const fetched = useQuery({ ...userQuery(id), enabled: !listed })
  const user = listed ?? fetched.data
  if (user && self && mayEdit(self, user)) return <UserEditor user={user} rows={rows} />
  if (user) return <UserFacts user={user} rows={rows} />
  return (
    <Sheet title={t('viewTitle')} onClose={() => place.close()}>
      {fetched.error ? (
        <LoadError error={fetched.error} isBusy={fetched.isFetching} onRetry={() => void fetched.refetch()} />
      ) : (
        <div className="grid gap-6">
          {['username', 'group', 'quota'].map(field => (
            <Skeleton key={field} className="h-9 w-full" />
          ))}
        </div>
      )}
    </Sheet>
  )
}
