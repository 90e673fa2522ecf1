import { handle, type Route } from '#server/api/handle.ts'
import { everyMs, nowSeconds } from '#server/core/clock.ts'
import { throttledLog } from '#server/core/logger.ts'
import { updateUser } from '#server/db/accounts/users.ts'
import { defineFeature, type Services } from '#server/feature.ts'
import * as members from '../contract/members.ts'
import * as endpoints from '../contract/organizations.ts'
import * as projects from '../contract/projects.ts'
import { organizationAccounts } from '../migrations/0093-organization-accounts.ts'
import { organizations } from '../migrations/0094-organizations.ts'
import { mappedMembers } from '../migrations/0108-mapped-members.ts'
import { options } from '../options.ts'
import { requireMayManage, requireMember } from './access.ts'
import { organizationError } from './errors.ts'
import { followProvider } from './mapped-members.ts'
import { addPeople, changeMember, createMemberKey, listMemberViews, replaceInvitationOf } from './members.ts'
import { actForOrganization } from './membership.ts'
import { notifierOfOrganization } from './notify-members.ts'
import * as own from './organizations.ts'
import {
  addProject,
  changeProject,
  closeDueProjects,
  createProjectKey,
  ENDED_AT_ONCE,
  listProjectViews,
} from './projects.ts'
import {
  disableTokens,
  findMembership,
  findSubjectNames,
  findSubjectPayer,
  listEndedWithTokens,
} from './queries/members.ts'

const ownRoutes = ({ settings }: Services): readonly Route[] => {
  const mayCreate = (caller: Parameters<typeof own.mayCreate>[0]) =>
    own.mayCreate(caller, settings.of(options).OrganizationCreators)
  return [
    handle(endpoints.listOwnOrganizations, async context => ({
      items: await own.listOwn(context),
      may_create: mayCreate(context.caller),
    })),
    handle(endpoints.createOrganization, ({ body, ...context }) => {
      if (!mayCreate(context.caller)) throw organizationError('may_not_create')
      return own.createOrganization(body.name, context)
    }),
    handle(endpoints.readInvitation, async ({ body, db, secrets }) => {
      const { display_name: organization, role } = await own.getInvited(db, body.invitation, secrets)
      return { organization, role }
    }),
    handle(endpoints.joinOrganization, ({ body, ...context }) =>
      own.joinOrganization(body.invitation, context),
    ),
    handle(endpoints.appointOwner, ({ params, body, ...context }) =>
      own.appointOwner(params.id, body.user_id, context),
    ),
  ]
}

const actingRoutes = ({ ledger }: Services): readonly Route[] => [
  handle(endpoints.getOrganization, context => own.readOrganization(context)),
  handle(endpoints.renameOrganization, async ({ body, db, caller }) => {
    requireMember(caller)
    await updateUser(db, caller.id, { display_name: body.name })
  }),
  handle(endpoints.deleteOrganization, context => own.deleteOrganization(context)),
  handle(endpoints.leaveOrganization, async context => {
    const { id } = requireMember(context.caller)
    await context.willChange([id])
    await own.endMembership(id, context)
  }),
  handle(members.listMembers, ({ query, ...context }) => {
    requireMember(context.caller)
    return listMemberViews(query, context)
  }),
  handle(members.addMembers, ({ body, ...context }) => addPeople(body, context, ledger)),
  handle(members.updateMember, ({ params, body, ...context }) => changeMember(params.id, body, context)),
  handle(members.removeMember, ({ params, ...context }) =>
    own.endMembership(params.id, context, role => requireMayManage(role, context.caller)),
  ),
  handle(members.replaceInvitation, ({ params, ...context }) => replaceInvitationOf(params.id, context)),
  handle(members.createMemberToken, ({ params, body, ...context }) =>
    createMemberKey(params.id, body.name, context),
  ),
  handle(projects.listProjects, ({ query, ...context }) => listProjectViews(query, context)),
  handle(projects.createProject, ({ body, ...context }) => addProject(body, context)),
  handle(projects.updateProject, ({ params, body, ...context }) => changeProject(params.id, body, context)),
  handle(projects.createProjectToken, ({ params, body, ...context }) =>
    createProjectKey(params.id, body, context),
  ),
]

const SWEEP_MS = 2000
/** Longer than any call takes that was let in before its member was removed. */
const LATE_SECONDS = 300

export const feature = defineFeature({
  options,
  migrations: [organizationAccounts, organizations, mappedMembers],
  on: {
    userDeleted: own.endMembershipsOf,
    membershipsMapped: followProvider,
    notifierOf: notifierOfOrganization,
  },
  start(services) {
    const { db, log } = services
    const logFailure = throttledLog(log, 'tokens of organisations could not be ended')
    const sweep = async () => {
      try {
        await closeDueProjects(db)
        for (const id of await listEndedWithTokens(db, nowSeconds() - LATE_SECONDS, ENDED_AT_ONCE))
          await disableTokens(db, 'member_id', id)
      } catch (error) {
        logFailure({ error })
      }
    }
    return {
      routes: [...ownRoutes(services), ...actingRoutes(services)],
      actFor: (person, call) =>
        actForOrganization(person, call, (id, userId) => findMembership(db, id, userId)),
      budgetSubjects: {
        member: {
          name: { zh: '成员', en: 'member' },
          isOpen: true,
          findPayer: (found, id) => findSubjectPayer(found, 'organization_members', id),
          findNames: (found, ids) => findSubjectNames(found, 'organization_members', ids),
        },
        project: {
          name: { zh: '项目', en: 'project' },
          isOpen: true,
          findPayer: (found, id) => findSubjectPayer(found, 'organization_projects', id),
          findNames: (found, ids) => findSubjectNames(found, 'organization_projects', ids),
        },
      },
      jobs: [() => everyMs(SWEEP_MS, sweep)],
    }
  },
})
