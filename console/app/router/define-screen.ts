import type { LucideIcon } from 'lucide-react'
import type { ComponentType } from 'react'
import type { z } from 'zod'
import type { OrganizationRole, Role } from '#contract/enums.ts'
import type { Status } from '#contract/status.ts'
import type { Language } from '../../ui/text/text.ts'
import { hasRole, type SessionUser } from '../session/session.ts'

export type NavSection = 'use' | 'manage' | 'settings'

export interface NavItem {
  readonly label: string
  readonly to: string
}

export interface FoundRecord {
  readonly name: string
  /** Tells records of one name apart, for example by their ids. */
  readonly detail?: string
  /** Path and search of a page of this console. */
  readonly href: string
}

export interface ScreenNav {
  readonly section: NavSection
  /** Position in the section, in steps of ten. */
  readonly order: number
  readonly icon: LucideIcon
  /** Feature flag: the screen is not offered when this returns false. */
  readonly when?: (status: Status) => boolean
  /** Second key of the shortcut `g x`. */
  readonly key?: string
  /** Nested items, for example one for each configured chat. */
  readonly items?: (status: Status) => readonly NavItem[]
}

export interface Screen {
  readonly path: `/${string}`
  /** Further paths of the same screen, below `path`. The screen stays mounted when switching between them. */
  readonly below?: readonly `/${string}`[]
  /** Paths that redirect to `path`. */
  readonly aliases?: readonly `/${string}`[]
  readonly role: Role
  /** The least role of members who may open it for an organisation. Absent: it serves none, unless it is for visitors. */
  readonly organization?: OrganizationRole
  /** Shown in the sidebar, the palette and the document title. */
  readonly title: Readonly<Record<Language, string>>
  /**
   * `shell` has header and sidebar, `plain` only the header, `bare` neither. `frame` and `workspace` have no padding and
   * no footer: the page fills the area below the header, or beside the sidebar.
   */
  readonly layout?: 'shell' | 'plain' | 'bare' | 'frame' | 'workspace'
  readonly nav?: ScreenNav
  /** A button in the header that brings the news of the screen to every page. It loads once the page is in use. */
  readonly headerButton?: { readonly role: Role; readonly load: () => Promise<ComponentType> }
  /** Finds records for the palette. Called only where the screen is offered. */
  readonly find?: (typed: string, signal: AbortSignal) => Promise<readonly FoundRecord[]>
  /** Search params of the screen. Every field has a default. */
  readonly search?: z.ZodObject
  readonly load: () => Promise<ComponentType>
}

type Served = Pick<Screen, 'role' | 'organization'>

/** Which screens and endpoints serve users who act for others, and why nothing else. Undefined: they act for themselves. */
export const acting: { limit?: { mayOpen: (served: Served) => boolean; why: () => string } | undefined } = {}

/** Whether navigation, palette and shortcuts offer a screen: the user may open it, and the installation uses it. */
export const isOffered = (screen: Screen, user: SessionUser | undefined, status: Status): boolean =>
  hasRole(user, screen.role) &&
  acting.limit?.mayOpen(screen) !== false &&
  (screen.nav?.when?.(status) ?? true)

/** Declares a screen. The router and the sidebar discover it by its folder. */
export const defineScreen = (screen: Screen): Screen => screen
