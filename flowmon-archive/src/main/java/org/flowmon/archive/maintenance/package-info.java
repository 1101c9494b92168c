/**
 * Work on an archive behind its users, and checks of it: merging small segments, writing them anew,
 * verifying every byte.
 */
package org.flowmon.archive.maintenance;
