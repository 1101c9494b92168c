/** The bundled logics and their requirements on history. */
package org.flowmon.jobs.report.logic;
