import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { SheetSections } from '#console/app/sheet-sections.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Banner, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { Sheet } from '#console/ui/overlays/sheet.tsx'
import { useKitText } from '#console/ui/text/kit-text.ts'
import type { Budget } from '#features/budgets/contract.ts'
import { type CapSubject, capQuery } from '../queries.ts'

export interface CapFormProps {
  /** Of the form, which the button of the sheet submits. */
  readonly formId: string
  readonly cap: Budget | null
}

interface CapSheetProps {
  readonly title: string
  /** Label of the button that submits. */
  readonly action: string
  readonly of: CapSubject['subject']
  /** Undefined for what has yet to be created. */
  readonly id: number | undefined
  readonly onClose: () => void
  readonly children: (props: CapFormProps) => ReactNode
}

/** The sheet of a member or project: a form with the monthly cap, and what features add. */
export function CapSheet({ title, action, of, id, onClose, children }: CapSheetProps) {
  const k = useKitText()
  const formId = useId()
  const stored = useQuery({ ...capQuery({ subject: of, subject_id: id ?? 0 }), enabled: id !== undefined })
  const cap = id === undefined ? null : stored.data
  return (
    <Sheet
      title={title}
      onClose={onClose}
      onSubmit={() => document.forms.namedItem(formId)?.requestSubmit()}
      footer={
        <>
          <Button onClick={onClose}>{k('cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" disabled={cap === undefined}>
            {action}
          </Button>
        </>
      }
    >
      {stored.error && <Banner tone="danger">{plainErrorText(stored.error)}</Banner>}
      {cap === undefined && !stored.error && <Skeleton className="h-40 w-full" />}
      {cap !== undefined && children({ formId, cap })}
      {id !== undefined && <SheetSections of={of} id={id} />}
    </Sheet>
  )
}
