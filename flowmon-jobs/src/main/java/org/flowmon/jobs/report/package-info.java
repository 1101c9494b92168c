/**
 * Reports: an analysis's statement on a window, the logic that makes its rows, and the classes for
 * writing other logics.
 */
@NullMarked
package org.flowmon.jobs.report;

import org.jspecify.annotations.NullMarked;
