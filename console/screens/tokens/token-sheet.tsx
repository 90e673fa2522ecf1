import { useQuery } from '@tanstack/react-query'
import { LoadError } from '../../app/load-error.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useText } from '../../ui/text.ts'
import { tokenQuery } from './queries.ts'
import { NEW } from './search.ts'
import type { TokenSheetProps } from './sheet-props.ts'
import { text } from './text.ts'
import { TokenEditor } from './token-editor.tsx'

/** The sheet of one token: fetches it, unless the list has it already. */
export function TokenSheet(props: TokenSheetProps) {
  const { edit, from, rows, onClose } = props
  const t = useText(text)
  const isNew = edit === NEW
  const source = Number(isNew ? from : edit)
  const listed = rows.find(token => token.id === source)
  const needsFetch = source > 0 && !listed
  const fetched = useQuery({ ...tokenQuery(source), enabled: needsFetch })
  const token = listed ?? fetched.data
  if (needsFetch && !token) {
    return (
      <Sheet title={t(isNew ? 'createTitle' : 'editTitle')} onClose={onClose}>
        {fetched.error ? (
          <LoadError
            error={fetched.error}
            isBusy={fetched.isFetching}
            onRetry={() => void fetched.refetch()}
          />
        ) : (
          <FormSkeleton />
        )}
      </Sheet>
    )
  }
  return <TokenEditor key={edit} {...props} {...(token ? { token } : {})} />
}

const FormSkeleton = () => (
  <div className="grid gap-6">
    {['name', 'group', 'expiry', 'quota'].map(field => (
      <div key={field} className="grid gap-2">
        <Skeleton className="h-4 w-24" />
        <Skeleton className="h-9 w-full" />
      </div>
    ))}
  </div>
)
