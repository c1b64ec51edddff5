/** The roles of a member in a brand. */
export const TEAM_ROLES = ['owner', 'editor', 'author', 'analyst', 'developer'] as const

export type TeamRole = (typeof TEAM_ROLES)[number]
