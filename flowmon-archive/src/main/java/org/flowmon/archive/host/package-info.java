/**
 * Questions about hosts that one call answers: when they were last seen, and what one of them does.
 */
package org.flowmon.archive.host;
