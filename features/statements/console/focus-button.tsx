import { FileSpreadsheet } from 'lucide-react'
import { useState } from 'react'
import { errorText } from '#console/app/api/call.ts'
import { downloadFile } from '#console/app/list/csv.ts'
import { hasRole, useUser } from '#console/app/session/session.ts'
import type { TimeSpan } from '#console/app/time/ranges.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { dayOf } from './period.ts'
import { fetchFocus } from './queries.ts'
import { useScreenText } from './text.ts'

/** Downloads cost and usage of the period as FOCUS: administrators those of all users. */
export function FocusButton({ span }: { readonly span: TimeSpan }) {
  const t = useScreenText()
  const isAdmin = hasRole(useUser(), 'admin')
  const [isBusy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    try {
      downloadFile(`focus-${dayOf(span.start)}.csv`, await fetchFocus(isAdmin, span))
    } catch (error) {
      toast('error', errorText(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button icon={FileSpreadsheet} isBusy={isBusy} title={t('focusHelp')} onClick={() => void save()}>
      {t(isAdmin ? 'focusOfAll' : 'focus')}
    </Button>
  )
}
