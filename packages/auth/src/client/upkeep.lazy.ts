// A program with fresh tokens needs none of this. A login, a renewal and a logout each need most of
// it, and several files would be larger together. Other lazy modules import it from here as well.
export { prepareLogin } from "./grants/prepare-login.ts";
export { deviceGrant, isRedirectRejected } from "./register/dynamic-registration.ts";
export { registrarOf } from "./register/registration.ts";
export { logOut, revokeTokens } from "./tokens/logout.ts";
export { renewUnderLock } from "./tokens/renew-under-lock.ts";
export { refusal, requestTokens, unnoted } from "./tokens/send-token-request.ts";
