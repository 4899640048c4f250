/**
 * Verifies access tokens that are JWTs, by `jose`.
 *
 * @packageDocumentation
 */

export { jwt, type JwtAlgorithm, type JwtLimits, type JwtOptions } from "./jwt/jwt.ts";
