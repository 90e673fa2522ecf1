import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { formatDateTime, parseDateTime } from '#console/app/format/format.tsx'
import { DateTimeInput } from '#console/app/time/date-time-input.tsx'
import { Banner, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { Field } from '#console/ui/forms/fields.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import type { Budget } from '#features/budgets/contract.ts'
import { NAME_LENGTH_MAX } from '../../contract/fields.ts'
import type { Project } from '../../contract/projects.ts'
import { NameField } from '../name-field.tsx'
import { capQuery, useProjectChanges } from '../queries.ts'
import { CapField, toCapAmount } from './cap.tsx'
import { useScreenText } from './text.ts'

interface ProjectDialogProps {
  /** Undefined: a new one. */
  readonly project: Project | undefined
  readonly onClose: () => void
}

/** The name, the end and the monthly cap of a project. */
export function ProjectDialog(props: ProjectDialogProps) {
  const t = useScreenText()
  const form = useId()
  const { project, onClose } = props
  const known = useQuery({
    ...capQuery({ subject: 'project', subject_id: project?.id ?? 0 }),
    enabled: project !== undefined,
  })
  const cap = project ? known.data : null
  return (
    <Dialog
      title={project ? t('editTitle', { name: project.name }) : t('createProject')}
      onClose={onClose}
      confirm={{
        type: 'submit',
        form,
        disabled: cap === undefined,
        children: t(project ? 'save' : 'createProject'),
      }}
    >
      {known.error && <Banner tone="danger">{plainErrorText(known.error)}</Banner>}
      {cap === undefined && !known.error && <Skeleton className="h-40 w-full" />}
      {cap !== undefined && <ProjectForm {...props} id={form} cap={cap} />}
    </Dialog>
  )
}

interface ProjectFormProps extends ProjectDialogProps {
  readonly id: string
  readonly cap: Budget | null
}

/** Unix seconds; 0 when nothing is typed, undefined when it is no time. */
const toEnd = (typed: string): number | undefined => (typed.trim() === '' ? 0 : parseDateTime(typed))

function ProjectForm({ id, cap, project, onClose }: ProjectFormProps) {
  const t = useScreenText()
  const [name, setName] = useState(project?.name ?? '')
  const [ends, setEnds] = useState(project?.ends_time ? formatDateTime(project.ends_time) : '')
  const [monthly, setMonthly] = useState(cap ? String(cap.amount) : '')
  const [isTried, setTried] = useState(false)
  const { save } = useProjectChanges()
  const endsTime = toEnd(ends)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    const amount = toCapAmount(monthly)
    if (name.trim() === '' || amount === undefined || endsTime === undefined || save.isPending) return
    save.mutate(
      { id: project?.id, name: name.trim(), ends_time: endsTime, cap, amount },
      {
        onSuccess: () => {
          toast('success', t('saved'))
          onClose()
        },
      },
    )
  }
  return (
    <form id={id} noValidate className="grid gap-5" onSubmit={submit}>
      {save.error && (
        <Banner tone="danger" isAlert>
          {plainErrorText(save.error)}
        </Banner>
      )}
      <NameField
        label={t('name')}
        value={name}
        lengthMax={NAME_LENGTH_MAX}
        isRequired
        error={isTried && name.trim() === '' ? t('nameNeeded') : undefined}
        onChange={setName}
      />
      <Field
        label={t('ends')}
        help={t('endsHelp')}
        error={isTried && endsTime === undefined ? t('endsWrong') : undefined}
      >
        {control => <DateTimeInput {...control} value={ends} onChange={setEnds} />}
      </Field>
      <CapField label={t('cap')} value={monthly} onChange={setMonthly} />
    </form>
  )
}
