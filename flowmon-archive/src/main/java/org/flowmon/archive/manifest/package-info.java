/**
 * The commits of an archive: the state that they add up to, the rules of a commit, and their files
 * (docs/format/manifest.md).
 */
package org.flowmon.archive.manifest;
