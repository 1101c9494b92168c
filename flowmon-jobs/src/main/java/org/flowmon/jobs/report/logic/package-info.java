/** The bundled logics and their requirements on history. */
@NullMarked
package org.flowmon.jobs.report.logic;

import org.jspecify.annotations.NullMarked;
