/**
 * Queries over archives: how they are asked, what they answer and what was read for it, and the
 * runs that put plan and operators together.
 */
package org.flowmon.archive.query;
