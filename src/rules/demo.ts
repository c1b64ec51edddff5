/** Whom the demo brand knows from its first start, with a device of the sandbox: what the lines of `/docs` are about. */
export const DEMO_USER = 'demo-user'
