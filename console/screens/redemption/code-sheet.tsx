import { useQuery } from '@tanstack/react-query'
import { LoadError } from '../../app/load-error.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useText } from '../../ui/text.ts'
import { CodeEditor } from './code-editor.tsx'
import { CodeFacts } from './code-facts.tsx'
import { STATUS } from './code-state.ts'
import { codeQuery } from './queries.ts'
import { NEW } from './search.ts'
import type { CodeSheetProps } from './sheet-props.ts'
import { text } from './text.ts'

/** The sheet of one code: a form while it is unused, facts afterwards. Fetches what the list does not have. */
export function CodeSheet(props: CodeSheetProps) {
  const { edit, rows, onClose } = props
  const t = useText(text)
  const isNew = edit === NEW
  const listed = rows.find(row => String(row.id) === edit)
  const fetched = useQuery({ ...codeQuery(Number(edit)), enabled: !isNew && !listed })
  const code = listed ?? fetched.data
  if (isNew) return <CodeEditor {...props} />
  if (code?.status === STATUS.unused) return <CodeEditor {...props} code={code} />
  if (code) return <CodeFacts {...props} code={code} />
  return (
    <Sheet title={t('viewTitle')} onClose={() => onClose()}>
      {fetched.error ? (
        <LoadError error={fetched.error} isBusy={fetched.isFetching} onRetry={() => void fetched.refetch()} />
      ) : (
        <div className="grid gap-6">
          <Skeleton className="h-9 w-full" />
          <Skeleton className="h-9 w-full" />
        </div>
      )}
    </Sheet>
  )
}
