import { useQuery } from '@tanstack/react-query'
import { Archive, ArchiveRestore, KeyRound, Pencil, Plus } from 'lucide-react'
import { Suspense, useMemo, useState } from 'react'
import { TimeText } from '#console/app/format/format.tsx'
import { ListSection, usePages } from '#console/app/list/list-section.tsx'
import { Button, IconButton } from '#console/ui/buttons/buttons.tsx'
import { StatusBadge } from '#console/ui/data/badges.tsx'
import { type Column, STATUS_WIDTH } from '#console/ui/data/table/column.ts'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import { TOKEN_NAME_LENGTH_MAX } from '#contract/entities/token-fields.ts'
import type { Project } from '../../contract/projects.ts'
import { projectsQuery, useProjectChanges } from '../queries.ts'
import { useCapCell } from './cap.tsx'
import type { Made } from './made-dialog.tsx'
import { useScreenText } from './text.ts'

const projectSheet = lazyPart(async () => (await import('./project-sheet.tsx')).ProjectSheet)
const madeDialog = lazyPart(async () => (await import('./made-dialog.tsx')).MadeDialog)

const NEW = 'new'

/** The projects of the organisation. */
export function Projects() {
  const t = useScreenText()
  const pages = usePages()
  const query = useQuery(projectsQuery(pages.page, pages.size))
  const [open, setOpen] = useState<number | typeof NEW>()
  const [made, setMade] = useState<Made>()
  const columns = useProjectColumns(query.data?.items)
  const edited = query.data?.items.find(({ id }) => id === open)
  return (
    <>
      <ListSection
        label={t('projects')}
        heading={
          <div className="flex flex-wrap items-center justify-between gap-3">
            <h2 className="text-section font-semibold">{t('projects')}</h2>
            <Button
              icon={Plus}
              onPointerEnter={projectSheet.preload}
              onFocus={projectSheet.preload}
              onClick={() => setOpen(NEW)}
            >
              {t('createProject')}
            </Button>
          </div>
        }
        pages={pages}
        query={query}
        columns={columns}
        rowId={({ id }) => String(id)}
        rowName={({ name }) => name}
        card={{
          title: ({ name }) => name,
          status: project => <ProjectStatus project={project} />,
          facts: project =>
            columns.slice(1).map(({ header, cell }) => ({ label: header, value: cell(project) })),
        }}
        actions={project => (
          <ProjectActions project={project} onEdit={() => setOpen(project.id)} onMade={setMade} />
        )}
        empty={<p className="px-4 py-6 text-center text-muted">{t('noProjects')}</p>}
      />
      <Suspense fallback={null}>
        {(open === NEW || edited) && (
          <projectSheet.Part project={edited} onClose={() => setOpen(undefined)} />
        )}
        {made && <madeDialog.Part made={made} onClose={() => setMade(undefined)} />}
      </Suspense>
    </>
  )
}

interface ProjectProps {
  readonly project: Project
}

function ProjectStatus({ project: { is_closed } }: ProjectProps) {
  const t = useScreenText()
  return (
    <StatusBadge tone={is_closed ? 'neutral' : 'success'}>
      {t(is_closed ? 'project_closed' : 'project_running')}
    </StatusBadge>
  )
}

interface ProjectActionsProps extends ProjectProps {
  readonly onEdit: () => void
  readonly onMade: (made: Made) => void
}

function ProjectActions({ project: { id, name, is_closed }, onEdit, onMade }: ProjectActionsProps) {
  const t = useScreenText()
  const { close, createKey } = useProjectChanges()
  const makeKey = () =>
    createKey.mutate(
      { id, name: [...name].slice(0, TOKEN_NAME_LENGTH_MAX).join('') },
      {
        onSuccess: token =>
          onMade({ title: t('keyTitle', { name }), invitations: [{ id, name, invitation: '', token }] }),
      },
    )
  const set = (isClosed: boolean) =>
    close.mutate({ id, isClosed }, { onSuccess: () => toast('success', t('saved')) })
  const askToClose = async () => {
    const question = { title: t('closeTitle', { name }), text: t('closeText'), action: t('close') }
    if (await confirm({ ...question, isDanger: true })) set(true)
  }
  return (
    <>
      {!is_closed && (
        <IconButton
          size="small"
          icon={KeyRound}
          label={t('newKeyNamed', { name })}
          isBusy={createKey.isPending}
          onClick={makeKey}
        />
      )}
      <IconButton size="small" icon={Pencil} label={t('editNamed', { name })} onClick={onEdit} />
      <IconButton
        size="small"
        icon={is_closed ? ArchiveRestore : Archive}
        label={t(is_closed ? 'reopenNamed' : 'closeNamed', { name })}
        isBusy={close.isPending}
        onClick={() => (is_closed ? set(false) : void askToClose())}
      />
    </>
  )
}

function useProjectColumns(projects: readonly Project[] | undefined): ReadonlyArray<Column<Project>> {
  const t = useScreenText()
  const capCell = useCapCell('project', projects)
  return useMemo(
    () => [
      { id: 'name', header: t('name'), isFixed: true, cell: ({ name }) => name },
      {
        id: 'status',
        header: t('status'),
        width: STATUS_WIDTH,
        cell: project => <ProjectStatus project={project} />,
      },
      { id: 'cap', header: t('cap'), cell: capCell },
      { id: 'tokens', header: t('tokens'), align: 'end', cell: ({ tokens }) => tokens },
      {
        id: 'ends',
        header: t('ends'),
        cell: ({ ends_time }) => (ends_time > 0 ? <TimeText unixSeconds={ends_time} /> : t('never')),
      },
    ],
    [t, capCell],
  )
}
