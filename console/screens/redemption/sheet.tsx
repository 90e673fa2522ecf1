import { useQuery } from '@tanstack/react-query'
import { Power, Trash2 } from 'lucide-react'
import type { Redemption } from '#contract/billing/redemptions.ts'
import { REDEMPTION_STATUS } from '#contract/enums.ts'
import { LoadError } from '../../app/api/load-error.tsx'
import { MoneyText, TimeText } from '../../app/format/format.tsx'
import { usePreviousNext } from '../../app/list/previous-next.ts'
import { Button } from '../../ui/buttons/buttons.tsx'
import { KeyValues } from '../../ui/data/facts.tsx'
import { Banner, Skeleton } from '../../ui/feedback/feedback.tsx'
import { SecretField } from '../../ui/forms/secret-field.tsx'
import { Sheet } from '../../ui/overlays/sheet.tsx'
import { useCodeActions } from './actions.tsx'

import { RedeemerCell, StatusCell } from './columns.tsx'
import { CodeForm, type CodeSheetProps } from './form.tsx'
import { codeQuery } from './queries.ts'
import { NEW } from './search-params.ts'
import { useScreenText } from './text.ts'

/** The sheet of one code: a form while the code is unused, its details afterwards. Fetches the code when it is not on the listed page. */
export function CodeSheet(props: CodeSheetProps) {
  const { edit, rows, onClose } = props
  const t = useScreenText()
  const isNew = edit === NEW
  const listed = rows.find(row => String(row.id) === edit)
  const fetched = useQuery({ ...codeQuery(Number(edit)), enabled: !isNew && !listed })
  const code = listed ?? fetched.data
  if (isNew) return <CodeForm {...props} />
  if (code?.status === REDEMPTION_STATUS.unused) return <CodeForm {...props} code={code} />
  if (code) return <CodeDetails {...props} code={code} />
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

/** A used or disabled code, read-only. */
function CodeDetails({ code, rows, onOpen, onClose }: CodeSheetProps & { readonly code: Redemption }) {
  const t = useScreenText()
  const { toggle, confirmDelete } = useCodeActions()
  const previousNext = usePreviousNext(rows, code.id, onOpen)
  const isDisabled = code.status === REDEMPTION_STATUS.disabled
  const remove = async () => {
    if (await confirmDelete(code)) onClose()
  }
  return (
    <Sheet
      title={`${t('viewTitle')} #${code.id}`}
      status={<StatusCell code={code} />}
      previousNext={previousNext}
      onClose={() => onClose()}
      footer={
        <>
          <Button variant="danger-text" icon={Trash2} className="mr-auto" onClick={() => void remove()}>
            {t('delete')}
          </Button>
          {isDisabled && (
            <Button variant="primary" icon={Power} onClick={() => toggle(code)}>
              {t('enable')}
            </Button>
          )}
        </>
      }
    >
      <div className="grid gap-5">
        <Banner tone="info">{t(isDisabled ? 'viewDisabled' : 'viewUsed')}</Banner>
        <SecretField secret={code.key} label={t('key')} />
        <KeyValues
          items={[
            { label: t('name'), value: code.name },
            { label: t('quota'), value: <MoneyText quota={code.quota} /> },
            { label: t('created'), value: <TimeText unixSeconds={code.created_time} /> },
            {
              label: t('redeemed'),
              value: code.redeemed_time > 0 ? <TimeText unixSeconds={code.redeemed_time} /> : t('never'),
            },
            { label: t('redeemedBy'), value: <RedeemerCell code={code} /> },
          ]}
        />
      </div>
    </Sheet>
  )
}
