import { type FormEvent, useState } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { formatDateTime, parseDateTime } from '#console/app/format/format.tsx'
import { DateTimeInput } from '#console/app/time/date-time-input.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { Field } from '#console/ui/forms/fields.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { NAME_LENGTH_MAX } from '../../contract/fields.ts'
import type { Project } from '../../contract/projects.ts'
import { NameField } from '../name-field.tsx'
import { useProjectChanges } from '../queries.ts'
import { CapField, toCapAmount, useCapInput } from './cap.tsx'
import { type CapFormProps, CapSheet } from './cap-sheet.tsx'
import { useScreenText } from './text.ts'

interface ProjectSheetProps {
  /** Undefined: a new one. */
  readonly project: Project | undefined
  readonly onClose: () => void
}

/** The name, the end and the monthly cap of a project, and its other budgets. */
export function ProjectSheet(props: ProjectSheetProps) {
  const t = useScreenText()
  const { project, onClose } = props
  return (
    <CapSheet
      title={project ? t('editTitle', { name: project.name }) : t('createProject')}
      action={t(project ? 'save' : 'createProject')}
      of="project"
      id={project?.id}
      onClose={onClose}
    >
      {form => <ProjectForm {...props} {...form} />}
    </CapSheet>
  )
}

/** Unix seconds; 0 when nothing is typed, undefined when it is no time. */
const toEnd = (typed: string): number | undefined => (typed.trim() === '' ? 0 : parseDateTime(typed))

function ProjectForm({ formId, cap, project, onClose }: ProjectSheetProps & CapFormProps) {
  const t = useScreenText()
  const [name, setName] = useState(project?.name ?? '')
  const [ends, setEnds] = useState(project?.ends_time ? formatDateTime(project.ends_time) : '')
  const [monthly, setMonthly] = useCapInput(cap)
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
    <form id={formId} noValidate className="grid gap-5" onSubmit={submit}>
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
